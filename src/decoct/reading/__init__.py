"""Reading: where in a passage the answer to a question stands, and whether it stands there at all."""
