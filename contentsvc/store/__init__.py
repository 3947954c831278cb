"""What is asked of the database: one module of statements per family, and the schema."""
