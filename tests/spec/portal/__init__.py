"""The portal's pages, over HTTP."""
