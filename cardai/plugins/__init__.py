"""The plugins in the box: games, encoders, agents, trainers. Each is a module, or a folder once it has kernels or data.

Plugins never import one another: what two of them need moves down to its family, or to a room for any game."""
