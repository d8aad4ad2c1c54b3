"""Encoders: views as arrays for networks. A module offers ``cardai_encoder``."""
