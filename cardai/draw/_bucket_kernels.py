"""Kernels that tell what a deuce-to-seven hand can become: the best draw of each size, and the nearest centre.

A *choice* is how many cards are drawn: none, one, two, or three and more. A hand's *features* are four whole numbers on the
scale of :mod:`cardai.draw.values`: what it is worth as it is, and by the best draw of one card, of two, of more.
"""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.draw._hold_kernels import HOLDS, hold_totals
from cardai.poker.hands._ranking_kernels import rank_low_set, set_of

CHOICES = 4
CARDS = 5
_HALF = 0.4987  # features are rounded with it: no value of a hand lies there, so hands that are alike round alike
_EXACT = 1e-9


class Known(NamedTuple):
    """What hands are told apart by: see :class:`cardai.draw.buckets.DrawBuckets`."""

    sums: Any  # (draws, s) float64 a row for each number of draws left less one: see cardai.draw.values
    choose: Any  # (52, 6) int64
    starts: Any  # (7,) int64
    shares: Any  # (32,) float64
    centres: Any  # (draws, K, 4) int64, a block for each number of draws done
    counts: Any  # (draws + 1,) int64: how many buckets there are after each number of draws
    thresholds: Any  # (K' - 1,) int64, ascending values of deuce_to_seven


class Room(NamedTuple):
    """Where a hand is worked on."""

    places: Any  # (32,) int64
    totals: Any  # (32,) float64
    worth: Any  # (4,) float64: what each choice is worth
    masks: Any  # (4,) int64: which cards it discards, bit i the i-th of the ascending hand


@kernel
def study(known: Known, hand: Any, left: Any, room: Room) -> None:
    """Fill ``room.worth`` and ``room.masks`` for an ascending hand (5,) with ``left`` draws (1 or more) to come.

    ``worth[0]`` is the value of the hand as it is.
    """
    hold_totals(hand, known.choose, known.starts, known.sums[left - 1], room.places, room.totals)
    room.worth[:] = -1.0
    for hold in range(HOLDS):
        drawn = CARDS
        for i in range(CARDS):
            drawn -= hold >> i & 1
        choice = min(drawn, CHOICES - 1)
        value = room.totals[hold] * known.shares[hold]
        if value > room.worth[choice] + _EXACT:
            room.worth[choice] = value
            room.masks[choice] = HOLDS - 1 - hold
    room.worth[0] = known.sums[0, room.places[HOLDS - 1]]


@kernel
def nearest(known: Known, done: Any, room: Room) -> Any:
    """Return the bucket, after ``done`` draws, of the hand that was studied: the first of the nearest centres."""
    best, found = np.int64(1) << 60, 0
    first, second = np.int64(room.worth[0] + _HALF), np.int64(room.worth[1] + _HALF)
    third, fourth = np.int64(room.worth[2] + _HALF), np.int64(room.worth[3] + _HALF)
    for k in range(known.counts[done]):
        at = known.centres[done, k]
        distance = (at[0] - first) ** 2 + (at[1] - second) ** 2 + (at[2] - third) ** 2 + (at[3] - fourth) ** 2
        if distance < best:
            best, found = distance, k
    return found


@kernel
def final_bucket(known: Known, value: Any) -> Any:
    """Return the bucket of a hand of deuce-to-seven ``value`` with no draw to come."""
    return np.searchsorted(known.thresholds, value, side="right")


@kernel
def value_of(hand: Any) -> Any:
    """Return the deuce-to-seven value of a hand (5,): bigger is better."""
    return rank_low_set(set_of(hand))


@kernel
def sort_hand(given: Any, hand: Any, order: Any) -> None:
    """Fill ``hand`` (5,) with the cards of ``given`` ascending, and ``order`` with where each of them stood."""
    for i in range(CARDS):
        k = i
        while k > 0 and hand[k - 1] > given[i]:
            hand[k] = hand[k - 1]
            order[k] = order[k - 1]
            k -= 1
        hand[k] = given[i]
        order[k] = i


@kernel
def new_room() -> Any:
    """Return room to work in."""
    return Room(
        np.empty(HOLDS, np.int64),
        np.empty(HOLDS, np.float64),
        np.empty(CHOICES, np.float64),
        np.empty(CHOICES, np.int64),
    )


@kernel
def place_hands(known: Known, hands: Any, done: Any, features: Any, buckets: Any, masks: Any) -> None:
    """Fill for hands (n, 5), in any order of cards, after ``done`` (n,) draws each: ``features`` (n, 4) int64,
    ``buckets`` (n,) int64 and ``masks`` (n, 4) int64, what each choice discards (bit i: card i of the hand as given).

    Where no draw is to come, features are zeros but for the value of the hand, and masks are zeros.
    """
    room = new_room()
    hand, order = np.empty(CARDS, np.int64), np.empty(CARDS, np.int64)
    draws = len(known.sums)
    for n in range(len(hands)):
        sort_hand(hands[n], hand, order)
        masks[n, :] = 0
        features[n, :] = 0
        if done[n] >= draws:
            features[n, 0] = value_of(hand)
            buckets[n] = final_bucket(known, features[n, 0])
            continue
        study(known, hand, draws - done[n], room)
        buckets[n] = nearest(known, done[n], room)
        for choice in range(CHOICES):
            features[n, choice] = np.int64(room.worth[choice] + _HALF)
            for i in range(CARDS):
                masks[n, choice] |= (room.masks[choice] >> i & 1) << order[i]
