"""What the interpreters of tests' daemons load first."""
