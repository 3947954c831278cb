"""docs/reference and the sample of the settings, made from the tables of the code."""
