"""The JavaScript client (clients/javascript) against a real daemon."""
