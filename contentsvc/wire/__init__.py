"""The types on the network: msgspec Structs, nothing else.

Field names are snake_case here and camelCase in JSON. Limits are annotations: decoding checks them,
and the words of errors come from them (framework.http.type_descriptions).
"""
