"""What commands print: tables, progress, pictures."""
