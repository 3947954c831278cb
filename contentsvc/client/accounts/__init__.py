"""The Python client's part of accounts: users, log-ins, addresses, sessions, deletion."""
