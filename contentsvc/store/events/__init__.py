"""SQL of events and of webhooks."""
