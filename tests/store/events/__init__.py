"""SQL of events."""
