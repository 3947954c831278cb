"""SQL of design challenges: entries, votes, closing, rewards."""
