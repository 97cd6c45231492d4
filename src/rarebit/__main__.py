"""``python -m rarebit``: the command line."""

import sys

from rarebit.cli import main

if __name__ == "__main__":
    sys.exit(main())
