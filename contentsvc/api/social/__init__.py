"""Operations of follows, friends, parties, messages."""
