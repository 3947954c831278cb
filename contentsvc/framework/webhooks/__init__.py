"""Requests to webhooks: where they may go, and how they are sent."""
