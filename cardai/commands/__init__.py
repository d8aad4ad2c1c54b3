"""The commands, one file each, imported when called."""
