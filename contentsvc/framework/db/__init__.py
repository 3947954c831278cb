"""How SQL is run: statements, connections, the pool, transactions, calls that go together."""
