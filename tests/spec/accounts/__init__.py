"""Accounts: extensions §8, written from that page alone."""
