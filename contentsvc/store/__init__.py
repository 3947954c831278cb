"""The only SQL: the connection pool, and one module of statements per family."""
