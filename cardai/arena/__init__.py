"""Play: matches in lock step, records, tournaments, and one table driven from outside."""
