"""``cardai`` and ``python -m cardai``. Ctrl-C ends the program quietly even before anything else is imported.

Only what Python has loaded anyway is imported before that is said: ``_signal``, for ``signal`` needs enum and functools.
"""

import os
from _signal import SIGINT, signal  # type: ignore[import-not-found]


def _end(*_: object) -> None:
    os.write(2, b"cardai: interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line and exit."""
    signal(SIGINT, _end)
    try:
        from cardai.cli import main as command_line  # a tenth of a second; it deals with Ctrl-C itself from there on
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and "map segment" not in str(error):  # a library that does not fit
            raise
        os.write(2, b"cardai: There is not enough memory to start.\n")
        os._exit(1)
    command_line()


if __name__ == "__main__":
    main()
