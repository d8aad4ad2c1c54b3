"""Learning from recorded hands: decisions as their players saw them (``hands``), and files of them (``examples``, ``convert``)."""
