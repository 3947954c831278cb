"""The sample configurations of proxies, with the real ones in front of real daemons."""
