"""The portal: the web pages of the service, and what the daemon does to serve them."""
