"""HTTP machinery that knows no family."""
