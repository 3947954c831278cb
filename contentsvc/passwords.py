"""How passwords are hashed, by the daemon and by the command line tool."""

from argon2 import PasswordHasher

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""Argon2id with the parameters that OWASP gives; 19 MiB each."""
