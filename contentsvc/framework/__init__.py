"""What a service like this one is made of, and that knows nothing of what it serves: see README.md
beside this file."""
