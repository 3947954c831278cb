"""Tests of contentsvc.framework.http: real requests over a transport in memory."""
