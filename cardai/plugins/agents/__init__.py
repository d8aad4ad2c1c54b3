"""Players that nobody trains: rules, exact ones, solvers that think at the table, programs. A module offers ``cardai_agent``."""
