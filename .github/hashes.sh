#!/bin/sh
# Writes constraints-hashes.txt, the pins of constraints.txt with the hashes of their files. Needs uv and an index.
set -eu
cd "$(dirname "$0")/.."
{
    echo "# The pins of constraints.txt with the SHA-256 of every file that the package index had of each: all platforms and"
    echo "# Pythons. Of torch the index's own builds alone: the CPU build of PyTorch's index is not among them."
    echo "# Made by: sh .github/hashes.sh (uv pip compile --universal --generate-hashes --no-deps)"
    echo "# Used by: uv pip install -c constraints-hashes.txt --build-constraints constraints-hashes.txt '.[play]'"
    echo "# pip takes it as requirements: pip install --require-hashes --no-deps -r constraints-hashes.txt"
    uv pip compile --quiet --universal --generate-hashes --no-deps --no-annotate --no-header \
        --python-version 3.11.5 constraints.txt
} > constraints-hashes.txt.part
mv constraints-hashes.txt.part constraints-hashes.txt
