"""Training runs: their directories, the session under way, curves and events."""
