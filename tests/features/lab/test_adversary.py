"""What the moment at which a silent window closes tells of those who were asked: whether a classifier learns anything.

People look once a day, leave typical orders or none, and need a minute or so for an answer by hand. For each window of
Allégeance and each seat asked in it, a logistic regression is given when the window opened and closed, together with
the hour at which that seat looks, and guesses whether the seat could have challenged rightly: it holds the announced
card. AUC is counted among seats in the same public position, the same turn of a round, the same place in the order of
answers and as many cards in hand: what everybody may know is no leak.

    python -m tests.features.lab.test_adversary [MATCHES]

writes the table of docs/orders.md.
"""

from __future__ import annotations

import itertools
import math
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from pbem.features.lab.course import DAY_S, Pace
from pbem.features.lab.ordered import Thinking, Window, play_with_orders
from pbem.features.lab.plans import seed_of_match
from pbem.games import all_games
from pbem.kit.assemble import AssembledGame
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, Move, Order, PlayerView

SEATS = 4
GAME = all_games()["allegeance"]
MOST = 0.52
"""The AUC that people who follow orders, or think for as long whatever they hold, must not exceed."""
SHORT, FULL = 200, 10_000
KEPT = 2_000
"""No more windows are looked at than this many matches have, so the test plays no more than these."""


# --- the people ----------------------------------------------------------------------------------------------


def even_delay(fold: Any, ask: Ask, chance: Chance) -> int:
    """Half a minute to three minutes, whatever one holds."""
    return 30 + chance.below(150)


def forgetful(view: PlayerView, seat: int, chance: Chance) -> Move:
    """What greedy plays who remembers nothing: a bot that remembers announces no card that could be challenged."""
    move: Move = GAME.bots["greedy"](PlayerView(view.fold, view.seats), seat, chance)
    return move


def forgetful_person(view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
    """The orders of a person who remembers nothing either: else the announcer, who is public, tells who could."""
    return GAME.typical(PlayerView(view.fold, view.seats), seat, chance)


assert isinstance(GAME, AssembledGame)
FORGETFUL = replace(GAME, typical=forgetful_person)


def longer_delay_if_could(fold: Any, ask: Ask, chance: Chance) -> int:
    """Who could challenge thinks for ten minutes to half an hour longer."""
    return even_delay(fold, ask, chance) + (could_challenge(fold, ask.seat) and 600 + chance.below(1200))


def could_challenge(fold: Any, seat: int) -> bool:
    """True if the seat holds the card that was announced, and so could challenge rightly."""
    return fold.phase == "window" and fold.announced in fold.hands[seat]


@dataclass(frozen=True)
class People:
    """Those at a table: who leaves orders, and how long they think."""

    says: str
    ordering: tuple[bool, ...]
    thinking: Thinking


ORDERING = People("orders at all four seats", (True,) * 4, even_delay)
HAND = People("no orders, as long to think whatever one holds", (False,) * 4, even_delay)
MIXED = People("orders at two seats, as long to think at the others", (True, False, True, False), even_delay)
LONGER = People("no orders, ten to thirty minutes longer for who could challenge", (False,) * 4, longer_delay_if_could)


# --- what is seen --------------------------------------------------------------------------------------------


@dataclass
class Samples:
    """Seats that were asked: what the adversary sees of each, its public position, and whether it could challenge."""

    seen: list[array[float]] = field(default_factory=list)
    position: list[tuple[int, int, int]] = field(default_factory=list)
    could: list[bool] = field(default_factory=list)


def samples_of(people: People, matches: int, *, sealed: bool = True) -> Samples:
    """Returns the seats asked in the windows of these matches, or in one window of several where they are many.

    Without `sealed`, a challenge cuts its window short.
    """
    out, every = Samples(), max(1, matches // KEPT)
    count = itertools.count()
    for number in range(matches):
        seed = seed_of_match(bytes(31) + b"\x0a", SEATS, number)
        pace, last = Pace(seed, SEATS), [0]

        def watch(window: Window, pace: Pace = pace, last: list[int] = last) -> None:
            closed = window.closed if sealed else _first_challenge(window)
            public, kept = window.folds[0], next(count) % every == 0
            for step in range(1, SEATS) if kept else ():
                seat = (public.active + step) % SEATS
                fold = window.folds[seat]
                looked = pace.next_look_of_seat(seat, window.opened)
                out.seen.append(_features(window.opened, closed, looked, window.opened - last[0]))
                out.position.append((public.turn, step, len(fold.hands[seat])))
                out.could.append(could_challenge(fold, seat))
            last[0] = closed

        play_with_orders(
            FORGETFUL, SEATS, GAME.meta.options(), seed, [forgetful] * SEATS, people.ordering,
            thinking=people.thinking, watch=watch,
        )  # fmt: skip
    return out


def _first_challenge(window: Window) -> int:
    """Returns when a window would have closed that tells at once: earlier by far if somebody has challenged."""
    challenged = any(type(move).__name__ == "Challenge" for move in window.answers.values())
    return window.opened + (window.closed - window.opened) // (2 if challenged else 1)


def _features(opened: int, closed: int, looked: int, since: int) -> array[float]:
    """Returns what the adversary looks at, each between about -1 and 1.

    `looked`: when the seat next looked after the window had opened; `since`: how long nothing was asked before.
    """
    took, after = closed - opened, closed - looked
    hours = [math.tau * at / DAY_S for at in (opened, closed)]
    near = 0 <= after < 3600
    return array("d", (
        1.0, took / DAY_S, math.log1p(took) / 12, float(took < 5400), min(since, DAY_S) / DAY_S,
        *(wave(hour) for hour in hours for wave in (math.sin, math.cos)),
        float(near), after / 3600 * near, float(0 <= after < 200), float(600 <= after < 2000), took % 60 / 60,
    ))  # fmt: skip


# --- the classifier ------------------------------------------------------------------------------------------


def train_classifier(samples: Samples, rows: Sequence[int], rounds: int) -> list[float]:
    """Returns the weights of a logistic regression after this many rounds of gradient descent over these rows."""
    weights = [0.0] * len(samples.seen[0])
    base = sum(samples.could[row] for row in rows) / len(rows)
    weights[0] = math.log(base / (1 - base))
    for turn in range(rounds):
        rate = 0.05 / (1 + turn)
        for row in rows:
            seen = samples.seen[row]
            error = samples.could[row] - 1 / (1 + math.exp(-score_of_classifier(weights, seen)))
            step = rate * error
            weights = [weight + step * value for weight, value in zip(weights, seen, strict=True)]
    return weights


def score_of_classifier(weights: Sequence[float], seen: Iterable[float]) -> float:
    """Returns how likely the classifier thinks it that the seat could challenge, on a scale of its own."""
    return sum(weight * value for weight, value in zip(weights, seen, strict=True))


def auc(samples: Samples, rows: Sequence[int], weights: Sequence[float]) -> float:
    """Returns how often a seat that could challenge scores higher than one in the same position that could not."""
    strata: dict[tuple[int, int, int], list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        strata[samples.position[row]].append((score_of_classifier(weights, samples.seen[row]), samples.could[row]))
    won = pairs = 0.0
    for found in strata.values():
        more, all_pairs = _wins(found)
        won, pairs = won + more, pairs + all_pairs
    return won / pairs


def _wins(found: list[tuple[float, bool]]) -> tuple[float, int]:
    """Returns in how many pairs the one that could has the higher score, ties counting half, and how many there are."""
    found.sort()
    could_not = wins = at = 0.0
    positives = 0
    while at < len(found):
        end = int(at)
        while end < len(found) and found[end][0] == found[int(at)][0]:
            end += 1
        tied = found[int(at) : end]
        yes = sum(one for _, one in tied)
        wins += yes * (could_not + (len(tied) - yes) / 2)
        could_not += len(tied) - yes
        positives += yes
        at = end
    return wins, int(positives * could_not)


def advantage_of_adversary(people: People, matches: int, *, sealed: bool = True) -> float:
    """Returns the AUC of a classifier that has learnt from half of the seats asked in these matches, on the others."""
    samples = samples_of(people, matches, sealed=sealed)
    half = len(samples.seen) // 2
    weights = train_classifier(samples, range(half), rounds=max(1, min(5, 400_000 // half)))
    return auc(samples, range(half, len(samples.seen)), weights)


# --- the tests -----------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.apart
@pytest.mark.timeout(900)
def test_a_windows_duration_does_not_reveal_who_could_have_challenged() -> None:
    """People with orders, and people whose time does not go by their hand, at one table."""
    assert 1 - MOST <= advantage_of_adversary(MIXED, KEPT) <= MOST


@pytest.mark.long
def test_a_classifier_cannot_tell_secret_holders_from_window_timings() -> None:
    """Of few windows, so that chance alone may seem to tell a little."""
    assert 0.46 <= advantage_of_adversary(MIXED, SHORT) <= 0.54


@pytest.mark.long
def test_the_same_classifier_detects_longer_thought_before_challenges() -> None:
    assert advantage_of_adversary(LONGER, SHORT) > 0.55


@pytest.mark.long
def test_the_same_classifier_detects_challenges_that_close_a_window() -> None:
    assert advantage_of_adversary(ORDERING, SHORT, sealed=False) > 0.55


def _table(matches: int) -> Iterator[str]:
    yield "| who plays | AUC |"
    yield "|---|---|"
    for people in (ORDERING, HAND, MIXED, LONGER):
        yield f"| {people.says} | {advantage_of_adversary(people, matches):.3f} |"


if __name__ == "__main__":
    say: Callable[[str], object] = print
    for line in _table(int(sys.argv[1]) if len(sys.argv) > 1 else FULL):
        say(line)
