"""Events and webhooks (studio#events), over HTTP alone."""
