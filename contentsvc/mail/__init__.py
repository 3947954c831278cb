"""Mail: its texts, its form, and the mail server."""
