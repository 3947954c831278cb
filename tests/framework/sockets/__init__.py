"""Tests of contentsvc.framework.sockets."""
