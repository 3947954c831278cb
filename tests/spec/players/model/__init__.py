"""What extensions §4, §5 and §7 say, as a small world in Python, for the random walk."""
