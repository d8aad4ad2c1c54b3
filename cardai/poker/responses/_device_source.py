"""The river on a GPU, in CUDA C: one block of threads walks one subtree of one river for one seat, in shared memory.

Hands stand in ascending order of strength. What a hand wins at a showdown is what is weaker less what is stronger,
over all hands, less the same over the hands with each of its two cards: sums from the first hand on, and from the first of
each card's hands on, read where those of its own strength begin and end.

``walk`` is compiled for one shape and one seat (:func:`head` says them); ``places`` is that of no shape. The places of hands
are to be the same on every machine, so ``places`` adds in the order of the CPU's kernel, one thread a subtree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

THREADS = 640
PLACES_THREADS = 64
HANDS, HELD, LEFT = 1081, 46, 47
"""A river leaves 1,081 hands of 47 cards, 46 with each card."""

COMMON = r"""
#define HANDS 1081
#define HELD 46
#define LEFT 47
#define COMBOS 1326
// (R, 9, HANDS) int16, by river: the hand, the first of its strength, one past the last, where those of its strength begin
// and end in the sums of its low card and of its high card, and the two cards
#define ORDER(k) cards[k]
#define FIRST(k) cards[HANDS + k]
#define LAST(k) cards[2 * HANDS + k]
#define LOW_FIRST(k) cards[3 * HANDS + k]
#define LOW_LAST(k) cards[4 * HANDS + k]
#define HIGH_FIRST(k) cards[5 * HANDS + k]
#define HIGH_LAST(k) cards[6 * HANDS + k]
#define LOW(k) cards[7 * HANDS + k]
#define HIGH(k) cards[8 * HANDS + k]
"""

WALK = r"""
#define STEP 33
#define PARTS ((HANDS + STEP - 1) / STEP)

extern "C" __global__ void walk(
    const short *__restrict__ all_cards,              // (R, 9, HANDS)
    const short *__restrict__ all_lists,              // (R, HELD, LEFT): the places of the hands with each card, ascending
    const float *__restrict__ ranges,                 // (2, lanes, COMBOS) both seats' at the roots
    const unsigned short *__restrict__ all_which,     // (R, 2, HANDS, lanes) buckets
    const float *__restrict__ rows,                   // (lanes, 2, buckets, WIDTH) probabilities
    const float *won,                    // (2, lanes, ENDS) what the better hand wins, or all by the fold
    float *__restrict__ out,                          // (R, 2, lanes, HANDS + 1)
    int lanes, int buckets)
{
    ROOM(room);
    float *__restrict__ reach = room;                              // (SEQUENCES, HANDS)
    float *__restrict__ sums = reach + SEQUENCES * HANDS;          // (SHOWN, HANDS + 1)
    float *__restrict__ by_card = sums + SHOWN * (HANDS + 1);      // (SHOWN, HELD + 1, LEFT)
    float *__restrict__ mass = by_card + SHOWN * (HELD + 1) * LEFT; // (SEQUENCES, LEFT)
    float *__restrict__ part = mass + SEQUENCES * LEFT;            // (SEQUENCES, PARTS)
    float *__restrict__ every = part + SEQUENCES * PARTS;          // (SEQUENCES,)
    const int lane = blockIdx.x, river = blockIdx.y, other = 1 - SEAT;
    const short *cards = all_cards + (size_t)river * 9 * HANDS, *lists = all_lists + (size_t)river * HELD * LEFT;
    const float *range = ranges + ((size_t)other * lanes + lane) * COMBOS;
    const unsigned short *which = all_which + ((size_t)river * 2 + other) * HANDS * lanes + lane;
    const float *chances = rows + ((size_t)lane * 2 + other) * buckets * WIDTH;
    float *mine = out + (((size_t)river * 2 + SEAT) * lanes + lane) * (HANDS + 1);
    constexpr int above[] = ABOVE, wanted[] = WANTED, shown[] = END_SHOWN, slot[] = END_SLOT, seats[] = DECISION_SEAT;
    constexpr int firsts[] = DECISION_FIRST, lasts[] = DECISION_LAST, child[] = CHILD;

    for (int k = threadIdx.x; k < HANDS; k += blockDim.x) {
        ALIGNED float row[WIDTH];
        float sequence[ACTIONS + 1];
        const float *from = chances + (size_t)which[(size_t)k * lanes] * WIDTH;
#pragma unroll
        for (int a = 0; a < ACTIONS; a += 4) FOUR(row + a) = FOUR(from + a);  // rows begin at multiples of 64 bytes
        sequence[0] = range[ORDER(k)];
#pragma unroll
        for (int a = 0; a < ACTIONS; a++) sequence[a + 1] = sequence[above[a]] * row[a];
#pragma unroll
        for (int j = 0; j < SEQUENCES; j++) reach[j * HANDS + k] = sequence[wanted[j]];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SEQUENCES * (LEFT + PARTS); i += blockDim.x) {
        float sum = 0.0f;
        if (i < SEQUENCES * LEFT) {
            const int j = i / LEFT, card = i % LEFT;
#pragma unroll 8
            for (int p = 0; p < HELD; p++) {
                if (j < SHOWN) by_card[(j * (HELD + 1) + p) * LEFT + card] = sum;
                sum += reach[j * HANDS + lists[p * LEFT + card]];
            }
            if (j < SHOWN) by_card[(j * (HELD + 1) + HELD) * LEFT + card] = sum;
            mass[j * LEFT + card] = sum;
        } else {
            const int j = (i - SEQUENCES * LEFT) / PARTS, p = (i - SEQUENCES * LEFT) % PARTS;
            const int end = (p + 1) * STEP < HANDS ? (p + 1) * STEP : HANDS;
            for (int k = p * STEP; k < end; k++) sum += reach[j * HANDS + k];
            part[j * PARTS + p] = sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SEQUENCES * PARTS; i += blockDim.x) {
        const int j = i / PARTS, p = i % PARTS;
        float sum = 0.0f;
        for (int k = 0; k < p; k++) sum += part[j * PARTS + k];
        const int end = (p + 1) * STEP < HANDS ? (p + 1) * STEP : HANDS;
        if (p == PARTS - 1) every[j] = sum + part[j * PARTS + p];
        if (j >= SHOWN) continue;
        for (int k = p * STEP; k < end; k++) {
            sums[j * (HANDS + 1) + k] = sum;
            sum += reach[j * HANDS + k];
        }
        if (p == PARTS - 1) sums[j * (HANDS + 1) + HANDS] = sum;
    }
    __syncthreads();
    const float *stakes = won + ((size_t)SEAT * lanes + lane) * ENDS;
    for (int k = threadIdx.x; k < HANDS; k += blockDim.x) {
        const int low = LOW(k), high = HIGH(k), first = FIRST(k), last = LAST(k);
        const int a = LOW_FIRST(k) * LEFT + low, b = LOW_LAST(k) * LEFT + low;
        const int c = HIGH_FIRST(k) * LEFT + high, d = HIGH_LAST(k) * LEFT + high;
        float value[ENDS + DECISIONS];
#pragma unroll
        for (int t = 0; t < ENDS; t++) {
            const int j = slot[t];
            float found;
            if (shown[t]) {
                const float *one = sums + j * (HANDS + 1), *held = by_card + j * (HELD + 1) * LEFT;
                found = one[first] + one[last] - one[HANDS];
                found -= held[a] + held[b] - held[HELD * LEFT + low];
                found -= held[c] + held[d] - held[HELD * LEFT + high];
            } else {
                found = every[j] - mass[j * LEFT + low] - mass[j * LEFT + high] + reach[j * HANDS + k];
            }
            value[t] = stakes[t] * found;
        }
#pragma unroll
        for (int n = DECISIONS - 1; n >= 0; n--) {
            float best = value[child[firsts[n]]];
#pragma unroll
            for (int e = firsts[n] + 1; e < lasts[n]; e++) {
                const float next = value[child[e]];
                best = seats[n] == SEAT ? (next > best ? next : best) : best + next;
            }
            value[ENDS + n] = best;
        }
        mine[k] = value[ENDS];
    }
    if (threadIdx.x == 0) mine[HANDS] = 0.0f;
}
"""

PLACES = r"""
// Each hand's place in both ranges, as _river_kernels.place_hands has it: added up in the same order, in the same types.
extern "C" __global__ void places(
    const short *__restrict__ all_cards,       // (R, 9, HANDS)
    const float *came,            // (2, COMBOS, lanes) the ranges
    unsigned short *out,          // (R, 2, HANDS, lanes)
    int lanes, int own, int equity)
{
    SMALL_ROOM(every);
    float *before = every + (LEFT + 1) * PLACES_THREADS, *after = before + (LEFT + 1) * PLACES_THREADS;
    const int lane = blockIdx.x * PLACES_THREADS + threadIdx.x, seat = blockIdx.y, river = blockIdx.z;
    if (lane >= lanes) return;
    const short *cards = all_cards + (size_t)river * 9 * HANDS;
    const float *theirs = came + (size_t)(1 - seat) * COMBOS * lanes + lane, *mine = came + (size_t)seat * COMBOS * lanes + lane;
    unsigned short *to = out + ((size_t)river * 2 + seat) * HANDS * lanes + lane;
#define AT(sums, card) sums[(card) * PLACES_THREADS + threadIdx.x]
#define ADD(sums, k) { const float x = theirs[(size_t)ORDER(k) * lanes]; AT(sums, LOW(k)) += x; AT(sums, HIGH(k)) += x; AT(sums, LEFT) += x; }
#define MET(sums, k) (AT(sums, LEFT) - AT(sums, LOW(k)) - AT(sums, HIGH(k)))
    for (int card = 0; card <= LEFT; card++) AT(every, card) = AT(before, card) = AT(after, card) = 0.0f;
    double total = 0.0, lower = 0.0;
    for (int k = 0; k < HANDS; k++) {
        ADD(every, k);
        total += mine[(size_t)ORDER(k) * lanes];
    }
    for (int start = 0; start < HANDS;) {
        const int end = LAST(start);
        double level = 0.0;
        for (int k = start; k < end; k++) {
            ADD(after, k);
            level += mine[(size_t)ORDER(k) * lanes];
        }
        for (int k = start; k < end; k++) {
            float met = MET(every, k);
            float won = MET(before, k) - met;
            won += MET(after, k);
            met += theirs[(size_t)ORDER(k) * lanes];
            const double weaker = total > 0.0 ? (lower + 0.5 * level) / total : 0.5 * (start + end) / HANDS;
            const double share = met > 0.0f ? 0.5 + 0.5 * (double)won / (double)met : 0.5;
            int one = (int)(weaker * own), two = (int)(share * equity);
            one = one < 0 ? 0 : one > own - 1 ? own - 1 : one;
            two = two < 0 ? 0 : two > equity - 1 ? equity - 1 : two;
            to[(size_t)k * lanes] = (unsigned short)(one * equity + two);
        }
        for (int k = start; k < end; k++) ADD(before, k);
        lower += level;
        start = end;
    }
}
"""

ON_GPU = f"""
#define PLACES_THREADS {PLACES_THREADS}
#define ALIGNED __align__(16)
#define FOUR(place) *(float4 *)(place)
#define ROOM(name) extern __shared__ float name[]
#define SMALL_ROOM(name) __shared__ float name[3 * (LEFT + 1) * PLACES_THREADS]
"""


def floats(sequences: int, shown: int) -> int:
    """Return how many floats of shared memory ``walk`` takes."""
    parts = -(-HANDS // 33)
    own = HANDS + LEFT + parts + 1
    return sequences * own + shown * (HANDS + 1 + (HELD + 1) * LEFT)


def head(seat: int, shape: Any, width: int) -> tuple[str, int]:
    """Return what ``walk`` is compiled for, and how many floats of shared memory it takes.

    ``shape`` is that of a :class:`~.river_forest.Grove`, ``seat`` the one that answers. The other's sequences are kept
    that lead to an end, those with showdowns first.
    """
    other = 1 - seat
    ends = [(bool(end[0]), int(end[1 + other])) for end in shape.end]
    shown = sorted({sequence for compared, sequence in ends if compared})
    wanted = [*shown, *sorted({sequence for _, sequence in ends} - set(shown))]
    constants = {"SEAT": seat, "WIDTH": width, "ACTIONS": int(shape.actions[other]), "SEQUENCES": len(wanted)}
    constants |= {"SHOWN": len(shown), "ENDS": len(ends), "DECISIONS": len(shape.decision)}
    lists: dict[str, Sequence[int]] = {
        "ABOVE": shape.above[other, : shape.actions[other]].tolist() or [0],
        "WANTED": wanted,
        "END_SHOWN": [int(compared) for compared, _ in ends],
        "END_SLOT": [wanted.index(sequence) for _, sequence in ends],
        "DECISION_SEAT": shape.decision[:, 0].tolist(),
        "DECISION_FIRST": shape.decision[:, 1].tolist(),
        "DECISION_LAST": shape.decision[:, 2].tolist(),
        "CHILD": shape.child.tolist(),
    }
    lines = [f"#define {name} {value}" for name, value in constants.items()]
    lines += [f"#define {name} {{{', '.join(map(str, values))}}}" for name, values in lists.items()]
    return "\n".join(lines), floats(len(wanted), len(shown))
