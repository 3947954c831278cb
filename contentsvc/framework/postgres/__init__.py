"""The Postgres that comes with the service."""
