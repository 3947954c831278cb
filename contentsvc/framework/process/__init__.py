"""A process of the service: its parent and workers, its log, and how it listens."""
