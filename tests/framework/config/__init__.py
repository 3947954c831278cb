"""Tests of contentsvc.framework.config."""
