"""Accounts elsewhere: who somebody is at the studio's own log-in, or at Steam
(accounts#other-services)."""
