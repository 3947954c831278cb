"""Operations of progress data."""
