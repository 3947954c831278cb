"""What holds for every operation, tested for each: a matrix of operations and aspects."""
