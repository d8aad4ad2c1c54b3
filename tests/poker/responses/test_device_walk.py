"""A GPU's walk of whole turn boards gives what the CPU's does: by torch's products, and by our kernels, here run by a CPU."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardai.cards.text import parse_cards
from cardai.plugins.trainers.bucket_mccfr.river import RiverBuckets
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import PlacesInRanges
from cardai.poker.ranges.public_tree import public_tree
from cardai.poker.responses import _device_source as source
from cardai.poker.responses import device_walk, street_response
from cardai.poker.responses.device_rivers import Compiled, Rivers
from cardai.poker.responses.device_walk import DeviceWalker, can_walk
from cardai.poker.responses.street_response import Walker
from tests.poker.responses.test_river_forest import LIMIT, Asked, Tabled

TURN = parse_cards("KdQsJh4c")
# a tie of many hands, few ties, a flush for everybody
CARDS = [(int(card), [0]) for card in parse_cards("Th3c4d")]
COMPILER = shutil.which("c++") or shutil.which("g++")
# one thread after the other, each phase of a block by one alone
HOST = """
#include <cstddef>
struct Dim {int x, y, z;};
static Dim threadIdx, blockIdx, blockDim;
struct Four {float x, y, z, w;};
#define __global__
#define __restrict__
#define ALIGNED alignas(16)
#define FOUR(place) *(Four *)(place)
#define __syncthreads()
#define ROOM(name) static float name[100000]
#define PLACES_THREADS 64
#define SMALL_ROOM(name) static float name[3 * (LEFT + 1) * PLACES_THREADS]
"""
CALL = """
extern "C" void all(int x, int y, int z, int threads, {parameters}) {{
    blockDim.x = threads;
    for (blockIdx.z = 0; blockIdx.z < z; blockIdx.z++) for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
        {name}({arguments});
}}
"""
FLOATS, SHORTS, UNSIGNED = "const float *", "const short *", "const unsigned short *"
PARAMETERS = {
    "walk": [SHORTS, SHORTS, FLOATS, UNSIGNED, FLOATS, FLOATS, "float *", "int ", "int "],
    "places": [SHORTS, FLOATS, "unsigned short *", "int ", "int ", "int "],
}


class OnHost:
    """A kernel that was compiled for the CPU, called as torch calls one of a GPU."""

    def __init__(self, code: str, name: str, folder: Path) -> None:
        types = PARAMETERS[name]
        call = CALL.format(
            name=name,
            parameters=", ".join(f"{kind}a{k}" for k, kind in enumerate(types)),
            arguments=", ".join(f"a{k}" for k in range(len(types))),
        )
        file = folder / f"{name}{len(list(folder.iterdir()))}.cpp"
        file.write_text(HOST + code.replace(source.ON_GPU, "") + call)
        asked = ["-O1", "-shared", "-fPIC", "-std=c++17", "-ffp-contract=off", "-w", "-o", str(file.with_suffix(".so"))]
        subprocess.run([str(COMPILER), *asked, str(file)], check=True)
        self.every, self.one_by_one = ctypes.CDLL(str(file.with_suffix(".so"))).all, name == "places"

    def set_shared_memory_config(self, size: int) -> None:
        assert size < 4 * 100_000

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], args: list[Any], shared_mem: int = 0) -> None:
        assert all(one.is_contiguous() for one in args if isinstance(one, torch.Tensor))
        given = [ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else ctypes.c_int(a) for a in args]
        self.every(*grid, block[0] if self.one_by_one else 1, *given)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Kernels for a GPU are compiled for the CPU."""
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setattr(torch.cuda, "_compile_kernel", lambda code, name: OnHost(code, name, tmp_path), raising=False)
    room = type("Room", (), {"shared_memory_per_block_optin": 232_448})  # an H100's
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda: room)


@pytest.fixture(scope="module")
def player() -> Tabled:
    return Tabled(public_tree(LIMIT))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only three cards can come."""
    for module in (device_walk, street_response):
        monkeypatch.setattr(module, "next_cards", lambda board, ignores: [c for c in CARDS if c[0] not in board])


def test_a_turn_is_worth_what_it_is_on_the_cpu(player: Tabled, few: None) -> None:
    expected, found = Walker(player.tree, player).gain(2, TURN), DeviceWalker(player.tree, player, "cpu").gain(2, TURN)
    assert (found - expected) * 1000 / 10 == pytest.approx(0, abs=1e-3)
    assert expected > 0.1


def test_flops_are_worth_what_they_are_on_the_cpu(player: Tabled, few: None) -> None:
    expected = Walker(player.tree, player).flop_values(TURN[:3])
    found = DeviceWalker(player.tree, player, "cpu").flop_values(TURN[:3])
    assert found == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def test_kernels_win_what_products_do(player: Tabled, few: None, kernels: None) -> None:
    expected, walker = Walker(player.tree, player), DeviceWalker(player.tree, player, "cpu")
    walker.compiled = Compiled.of(walker.levels[3], places=False)
    assert walker.compiled is not None
    assert (walker.gain(2, TURN) - expected.gain(2, TURN)) * 1000 / 10 == pytest.approx(0, abs=1e-3)


def test_kernels_put_hands_in_the_same_buckets_to_the_last_bit(player: Tabled, kernels: None) -> None:
    walker, kind = DeviceWalker(player.tree, player, "cpu"), RiverBuckets(50, 20)
    compiled = Compiled.of(walker.levels[3], places=True)
    assert compiled is not None
    came = np.random.default_rng(0).uniform(0, 1, (2, COUNT, 70)).astype(np.float32) ** 4
    came[0, :, 1], came[1, :, 2] = 0, 0  # a range that is empty
    came[:, :, 3] = 1
    rivers = Rivers.of([[*TURN, card] for card, _ in CARDS], torch.device("cpu"))
    where = PlacesInRanges(kind.own, kind.equity, player)
    found = compiled.places(rivers, torch.from_numpy(came), where).numpy()
    for board, own in zip(rivers.boards, found, strict=True):
        hands = board_hands(board)
        assert np.array_equal(own, kind.of(hands, came[:, hands.hands]))
        assert len(np.unique(own)) > 100


class Finer(Tabled):
    """The same, but that it tells twice as many buckets."""

    def __init__(self, tree: Any) -> None:
        super().__init__(tree)
        self.table = np.random.default_rng(4).dirichlet(np.ones(tree.child.shape[1]), (len(tree.small), 14))

    def bucket_count(self, street: int) -> int:
        return 14

    def buckets_at(self, roots: Any, board: Any, hands: Any) -> Any:
        return 2 * super().buckets_at(roots, board, hands) + hands[None, :, None] % 2


def test_the_ranges_that_tell_buckets_are_the_trunks_whatever_its_own_buckets_are(player: Tabled) -> None:
    trunk, walker = Finer(player.tree), DeviceWalker(player.tree, player, "cpu")
    walker.places = PlacesInRanges(50, 20, trunk)
    came = walker._came(tuple(TURN))
    tree, expected = player.tree, np.ones((2, COUNT))
    parent = {
        int(child): node for node in range(len(tree.child)) for child in tree.child[node, : tree.num_children[node]]
    }
    node = int(walker.roots_of[3][5])
    while node in parent:
        child, node = node, parent[node]
        if tree.num_children[node] > 1:
            chances = trunk.range_policy([node], TURN[: (0, 3, 4)[tree.street[node]]])
            expected[tree.actor[node]] *= chances[tree.child[node].tolist().index(child)]
    assert came[:, 5].numpy() == pytest.approx(expected, rel=1e-4)


def test_who_has_no_tables_or_may_be_all_in_early_is_walked_otherwise(player: Tabled) -> None:
    assert can_walk(player, player.tree)
    assert not can_walk(Asked(player), player.tree)


def test_a_blocked_hand_wins_nothing(player: Tabled, few: None) -> None:
    walker = DeviceWalker(player.tree, player, "cpu")
    root = walker.roots_of[2][0]
    found = walker.values(2, TURN, {int(root): np.ones((2, COUNT)) * left_by(TURN)})
    assert not found[int(root)][:, left_by(TURN) == 0].any()
    assert np.abs(found[int(root)]).max() > 10
