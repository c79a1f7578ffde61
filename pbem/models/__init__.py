"""Tables and the engine: storage only, no behaviour."""
