"""Card abstraction: which hands on a board are treated alike."""
