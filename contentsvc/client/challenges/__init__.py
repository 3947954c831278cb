"""The Python client's part of design challenges: entries, votes, closing, rewards."""
