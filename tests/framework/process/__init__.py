"""Tests of contentsvc.framework.process."""
