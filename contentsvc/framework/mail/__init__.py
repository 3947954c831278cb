"""Mail: its form, and the mail server."""
