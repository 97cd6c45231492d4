"""One module a table: which measurements it needs, and what it makes of them."""
