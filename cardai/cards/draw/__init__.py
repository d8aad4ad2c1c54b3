"""The draw family: holds and their exact values."""
