"""Questions of one's own: how they are read, and the checks that every set passes (named sets are the laboratory's)."""
