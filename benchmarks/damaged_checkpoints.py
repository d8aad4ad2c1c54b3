"""Damages a trained run's checkpoint files in 1,000 ways: each must be refused with a message, and none may crash.

    python benchmarks/damaged_checkpoints.py [--count 1000]

A bit is flipped, bytes are overwritten, a piece is cut, doubled or zeroed, or another file's contents put in. Each
damage is tried twice: as it is (the manifest's hashes must refuse it by name, and the older checkpoint be used), and
with the manifest rewritten by somebody who knows how (the loader must refuse it or take up a state that trains on).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from cardai.core.errors import DamagedFileError
from cardai.core.files import digest_of, file_digest, write_json
from cardai.training.runs import Run
from cardai.training.session import Session

SPECS = (
    "nfsp:hidden=16,tables=32,batch=32,rl_capacity=2000,sl_capacity=5000,min_data=100,eval_every=20,policy_optimizer=adam",
)


def mutate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Return ``data`` damaged in one of seven ways."""
    at, to = rng.randrange(len(data)), rng.randrange(len(data))
    low, high = min(at, to), max(at, to)
    return [
        data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :],
        data[:at] + rng.randbytes(16) + data[at + 16 :],
        data[:at],
        data[:low] + data[high:],
        data[:high] + data[low:],
        data[:low] + bytes(high - low) + data[high:],
        other,
    ][rng.randrange(7)]


def forge(run: Run, step: int) -> None:
    """Rewrite the manifest so that it fits the damaged files."""
    folder = run.path / "checkpoints" / f"step-{step:012d}"
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.pop("sha256")
    files = [file for file in sorted(folder.iterdir()) if file.name != "manifest.json"]
    manifest["files"] = {f.name: {"bytes": f.stat().st_size, "sha256": file_digest(f)} for f in files}
    manifest["sha256"] = digest_of(manifest)
    write_json(folder / "manifest.json", manifest)


def attempt(run: Run, step: int) -> str:
    """Return "refused", or "trains on" if the checkpoint was taken up and training goes on."""
    try:
        training = run.trainer().start(run.game(), run.encoder(), run.seed)
        training.load(run.verify(step).path)
    except DamagedFileError as error:
        if not str(error).strip():
            raise AssertionError("a refusal without a message") from error
        return "refused"
    for _ in training.train(2):
        pass
    return "trains on"


def damage(run: Run, count: int, rng: random.Random) -> Counter[str]:
    """Damage the newest checkpoint ``count`` times and return how each ended."""
    step, ended = run.steps()[-1], Counter[str]()
    folder = run.path / "checkpoints" / f"step-{step:012d}"
    originals = {path: path.read_bytes() for path in sorted(folder.iterdir())}
    for _ in range(count):
        path, data = rng.choice(list(originals.items()))
        damaged = mutate(data, rng.choice(list(originals.values())), rng)
        if damaged == data:
            continue
        path.write_bytes(damaged)
        outcome = attempt(run, step)
        if outcome != "refused":
            raise AssertionError(f"{path.name} was damaged and taken up")
        checkpoint, _ = run.latest()
        if checkpoint is None or checkpoint.step == step:
            raise AssertionError("the last good checkpoint was not used")
        ended["refused by the manifest"] += 1
        if path.name != "manifest.json":
            forge(run, step)
            ended[f"forged manifest: {attempt(run, step)}"] += 1
        for original, text in originals.items():
            original.write_bytes(text)
    return ended


def main() -> None:
    """Damage a native and a torch run and print the tally."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="damages in all")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    for spec in SPECS:
        with tempfile.TemporaryDirectory() as folder:
            run = Run.create(Path(folder) / "run", spec, "kuhn", "flat", 1, 60)
            Session.start(run).train(60, checkpoint_every=20)
            total += damage(run, given.count // len(SPECS), random.Random(1))
    for outcome, number in sorted(total.items()):
        sys.stdout.write(f"{number:>6} {outcome}\n")


if __name__ == "__main__":
    main()
