"""What scripts/test does: which tests run, by how many processes, on which servers."""
