"""``cardai`` and ``python -m cardai``. Ctrl-C ends the program quietly even before anything else is imported.

Only what Python has loaded anyway is imported before that is said: ``_signal``, for ``signal`` needs enum and functools.
"""

import os
from _signal import SIGINT, signal  # type: ignore[import-not-found]

_NO_ROOM = ("map segment", "Cannot allocate memory", "error return without exception set")
"""What is said where a library, a list of files or an object does not fit."""


def _end(*_: object) -> None:
    os.write(2, b"cardai: interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line and exit."""
    signal(SIGINT, _end)
    try:
        from cardai.cli import main as command_line  # a tenth of a second; it deals with Ctrl-C itself from there on

        command_line()
    except (
        MemoryError,
        ImportError,
        OSError,
        SystemError,
    ) as error:  # also where there is too little to say it as we would
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _NO_ROOM):
            raise
        os.write(2, b"cardai: There is not enough memory to start.\n")
        os._exit(1)


if __name__ == "__main__":
    main()
