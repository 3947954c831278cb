"""The Python client's part of moderation: reports, bans, the audit log."""
