"""What a process does by itself: jobs, and tasks of a queue in the database."""
