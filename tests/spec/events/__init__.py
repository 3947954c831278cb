"""Events and webhooks (studio §3), over HTTP alone."""
