"""Tests of contentsvc.jobs."""
