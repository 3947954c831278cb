"""Tests of contentsvc.tasks."""
