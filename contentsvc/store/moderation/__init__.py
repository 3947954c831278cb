"""SQL of moderation: reports, bans, the audit log."""
