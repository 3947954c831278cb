"""The SQL of the service: one module of statements per family, and the schema."""
