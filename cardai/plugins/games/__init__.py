"""Games. A module offers ``cardai_game``; a fast one keeps its kernels beside it in a folder of its own."""
