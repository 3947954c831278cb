"""What the JavaScript client has of docs/openapi.json: the table of operations, and the types."""
