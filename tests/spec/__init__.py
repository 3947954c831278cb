"""The black-box suite: the specification as tests that speak only HTTP and WebSocket."""
