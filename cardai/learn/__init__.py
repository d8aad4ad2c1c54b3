"""What learners of any game share: networks, buffers, native layers, self-play, action abstraction, imitation.

With the trainers the only room that imports torch. What a learner must know of a game, it asks the game."""
