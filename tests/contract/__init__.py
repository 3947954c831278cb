"""The published contract, /openapi.json and /docs, as programs of others see it."""
