"""docs/reference, the sample of settings and the list of operations, from the tables of the code."""
