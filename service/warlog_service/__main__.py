"""`python -m warlog_service` is `warlog`."""

import sys

from warlog_service.cli import main

if __name__ == "__main__":
    sys.exit(main())
