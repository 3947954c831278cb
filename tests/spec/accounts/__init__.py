"""Accounts: accounts#accounts, written from that page alone."""
