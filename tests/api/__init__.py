"""Tests of contentsvc.api, where time or an accident decides, which the black-box suite cannot
arrange. The families run on real Postgres."""
