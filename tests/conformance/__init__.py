"""What any client must do when things fail: clients/conformance.json, run."""
