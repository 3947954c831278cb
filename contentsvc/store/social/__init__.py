"""SQL of follows, friends, parties, messages."""
