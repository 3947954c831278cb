"""docs/reference, the sample of settings and the list of operations, made from the code."""
