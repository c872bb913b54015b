"""`python -m decoct` is the command `decoct`."""

from __future__ import annotations

from decoct.cli import main

if __name__ == "__main__":
    main()
