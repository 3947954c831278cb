"""What crosses the network: msgspec Structs, nothing else.

Field names are snake_case here and camelCase in JSON. Limits that the interface states or
that every input needs are annotations, so that decoding is the check.
"""
