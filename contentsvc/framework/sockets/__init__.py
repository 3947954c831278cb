"""WebSockets of Autobahn: small when idle, bounded, and ended when silent."""
