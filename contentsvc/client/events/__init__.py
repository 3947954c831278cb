"""The Python client's part of events and webhooks."""
