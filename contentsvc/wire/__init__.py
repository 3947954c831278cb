"""The types on the network: msgspec Structs, nothing else.

Field names are snake_case here and camelCase in JSON. Limits are annotations:
decoding checks them, and an error's words come from them (web.type_descriptions).
"""
