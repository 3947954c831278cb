"""Live sockets: the hub, the Autobahn protocol, the notifier and the relay."""
