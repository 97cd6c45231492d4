"""``python -m rarebit.papers``: run tables and figures of the papers."""

import sys

from rarebit.papers._command import main

if __name__ == "__main__":
    sys.exit(main())
