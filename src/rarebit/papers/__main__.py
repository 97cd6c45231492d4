"""``python -m rarebit.papers`` is ``rarebit reproduce``."""

import sys

from rarebit.cli import main

if __name__ == "__main__":
    sys.exit(main(["reproduce", *sys.argv[1:]]))
