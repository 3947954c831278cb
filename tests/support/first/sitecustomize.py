"""Passwords cost next to nothing where tests log in, which they do thousands of times: hashes would
be a third of the time of tests/spec. What they cost an operator is in
tests/framework/identity/test_passwords.py.
"""

import argon2


class CheapHasher(argon2.PasswordHasher):
    """Takes the least that Argon2id can do with, whatever it is given."""

    def __init__(self, **given: int) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)


argon2.PasswordHasher = CheapHasher  # type: ignore[misc]
