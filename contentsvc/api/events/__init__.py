"""Operations of events and of webhooks."""
