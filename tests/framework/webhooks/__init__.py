"""Requests to webhooks."""
