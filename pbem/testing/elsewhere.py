"""Another process, which has served another match before: it says and plays what this one does.

A site has several processes. Each of them serves many matches, and is started again now and then. So what a face says
follows from its arguments alone, and what the rules decide from the facts and the luck of the match. What a module, an
object or a cache has kept of a match, the order of a set, and luck of Python's own are otherwise in another process.

That process orders sets otherwise, and is in another folder. It plays half of another match first, and says what the
faces say of it. Then it gets the facts of this one as each viewer has seen them, and says what the faces say of that,
the last position first: it has never had the whole state. At the end it plays this match and one of another table by
turns.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from math import inf
from typing import Any, NamedTuple

from pbem.games import broken_games, find_game
from pbem.kit.chance import MatchLuck
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Event, PlayerView, Scene, Viewer, ask_of
from pbem.kit.play import LawBroken, Table, luck_from_seed, random_decisions
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS
from pbem.testing.faults import limit_computing_time

PROCESSES = "processes"
KEEPING = "What is kept of one match comes into all others, and is not there in another process: put it into the state."
POSITIONS = frozenset((0, 1, 2, 4, 7, 12, 20, 33, 54, 88, 143))
"""The decisions before which the faces are asked."""
SOME = 5
"""Of this many moves each face is asked."""
ENOUGH_S, PATIENCE_S = 3, 600
"""Of computing here, after which no further match is played: the other process takes about three times as long. And how
long it may wait, for whatever."""
_AROUND = 60
"""Letters that are quoted where two texts differ."""


class Seen(NamedTuple):
    """What a viewer has seen so far: the facts, the fold before the last one, and the fold; and the luck of bots."""

    game: AnyGame
    seats: int
    luck: MatchLuck
    viewer: Viewer
    events: Sequence[Event]
    before: Any
    fold: Any


class Played(NamedTuple):
    """A match that was played here: what it was played with, its facts, and what the faces said at some positions.

    `said` is a list for each position, with the number of facts so far, of lists for each viewer.
    """

    seats: int
    options: Any
    seed: bytes
    events: Sequence[Event]
    said: Sequence[tuple[int, Sequence[dict[str, str]]]]


class Elsewhere:
    """The matches that are to be looked at elsewhere."""

    def __init__(self) -> None:
        self.looked, self.took, self.matches = 0, 0.0, list[Played]()

    def play_and_note_faces(self, game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        """Plays a random match, and notes what the faces say on the way; nothing once that has taken long enough.

        Raises LawBroken where a face changes a fold.
        """
        if self.took > ENOUGH_S:
            return
        self.looked += 1
        began = time.process_time()
        table = Table(game, seats, options, seed)
        said = [
            (len(table.entries), says)
            for says in _play_and_yield_what_faces_say(table, until=began + ENOUGH_S - self.took)
        ]
        self.matches.append(Played(seats, options, seed, [entry.event for entry in table.entries], said))
        self.took += time.process_time() - began

    def require_same_in_other_process(self, game: AnyGame) -> None:
        """Lets another process say and play the same, unless a match breaks here. Raises LawBroken if it does not."""
        if len(self.matches) < max(1, self.looked):
            return
        given = [
            {
                "seats": one.seats, "options": json.loads(encode(one.options)), "seed": one.seed.hex(),
                "events": [encode(event).decode() for event in one.events], "counts": [count for count, _ in one.said],
            }
            for one in self.matches
        ]  # fmt: skip
        for one, answer in zip(self.matches, _ask_another_process(game.meta.slug, given), strict=True):
            where = f"[{one.seats} seats, {one.options}, seed {int.from_bytes(one.seed, 'big')}]"
            for (count, here), there in zip(one.said, answer["said"], strict=True):
                for viewer, says, others in zip((None, *range(one.seats)), here, there, strict=True):
                    _require_same_faces(says, others, viewer, f"{where[:-1]}, entry {count}]")
            _require_same_events([encode(event).decode() for event in one.events], answer["events"], where)


def _require_same_faces(here: dict[str, str], there: dict[str, str], viewer: Viewer, where: str) -> None:
    for face in [*here, *(there.keys() - here.keys())]:
        one, other = here.get(face, "nothing"), there.get(face, "nothing")
        if one != other:
            at = next((n for n, pair in enumerate(zip(one, other, strict=False)) if len({*pair}) > 1), 0)
            quoted = [text[max(0, at - _AROUND // 3) : at + _AROUND] for text in (one, other)]
            who = "a spectator" if viewer is None else f"seat {viewer}"
            raise LawBroken(
                f"`{face}` of the same fold says {quoted[0]!r} to {who}, and in another process {quoted[1]!r} {where}"
            )


def _require_same_events(here: Sequence[str], there: Sequence[str], where: str) -> None:
    for number, (one, other) in enumerate(zip_longest(here, there), 1):
        if one != other:
            raise LawBroken(
                f"the same luck gives {one} as fact {number}, and in another process, beside another match, {other} "
                f"{where}"
            )


def _ask_another_process(slug: str, given: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Returns what it says of each match. Raises LawBroken if it takes no end or breaks."""
    paths = os.pathsep.join(map(os.path.abspath, sys.path))
    order = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            input=json.dumps({"slug": slug, "matches": given}).encode(),
            capture_output=True,
            timeout=PATIENCE_S,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": order},
            cwd=os.path.abspath(os.sep),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LawBroken(f"in another process this takes more than {PATIENCE_S} seconds") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise LawBroken(f"in another process, beside another match, it breaks: {' '.join(last)}")
    found: Sequence[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


# --- what is said --------------------------------------------------------------------------------------------


def _play_and_yield_what_faces_say(table: Table, until: float = inf) -> Iterator[Sequence[dict[str, str]]]:
    """Plays the match; yields what the faces say to each viewer before some of its decisions.

    After `until`, in seconds of computing, they are asked no more.
    """
    for at, _ in enumerate(random_decisions(table)):
        if at in POSITIONS and time.process_time() < until:
            events = [entry.event for entry in table.entries]
            seen = (
                _what_viewer_has_seen(table.game, table.seats, table.luck, viewer, events) for viewer in table.viewers
            )
            try:
                yield [*map(json_by_face, seen)]
            except FoldChanged as changed:
                raise table.broken(str(changed)) from None


def _what_viewer_has_seen(game: AnyGame, seats: int, luck: MatchLuck, viewer: Viewer, events: Sequence[Event]) -> Seen:
    seen = [redact(event, viewer) for event in events]
    before = evolve_all(game, None, seen[:-1])
    return Seen(game, seats, luck, viewer, seen, before, game.evolve(before, seen[-1]))


class FoldChanged(Exception):
    """A face has changed the fold that it was given."""


def json_by_face(seen: Seen) -> dict[str, str]:
    """Returns what each face says of this fold, as JSON. Raises FoldChanged if one of them changes the fold."""
    said, was = dict[str, str](), encode(seen.fold)
    for face, value in _what_faces_say(seen):
        said[face] = encode(value).decode()
        if encode(seen.fold) != was:
            raise FoldChanged(f"`{face}` changes the fold that it is given")
    return said


def _what_faces_say(seen: Seen) -> Iterator[tuple[str, Any]]:
    game, viewer, events, before, fold = seen.game, seen.viewer, seen.events, seen.before, seen.fold
    for lang in LANGS:
        yield f"tell in {lang}", game.tell(events[-1], before, lang)
        yield f"describe in {lang}", game.describe(fold, viewer, lang)
    if game.card is not None:
        yield "card", game.card(events[-1], before, viewer, LANGS[0])
    yield "draw", game.draw(fold, viewer, LANGS[0], Scene())
    yield "pending", game.pending(fold)
    yield "outcome", game.outcome(fold)
    yield "scores", game.scores(fold)
    if viewer is not None:
        yield from _what_faces_say_to_seat(seen, viewer)
        if (ask := ask_of(game, fold, viewer)) is not None:
            yield from _what_faces_say_of_question(seen, ask)


def _what_faces_say_to_seat(seen: Seen, seat: int) -> Iterator[tuple[str, Any]]:
    game, fold = seen.game, seen.fold
    supposed = game.supposable(fold, seat, ())
    yield "supposable", supposed if supposed is None else [*supposed]
    for kind in game.meta.asks:
        yield f"answers to {kind}", [*game.answers(kind, fold, seat)]
    luck = seen.luck.bot(len(seen.events), "typical", seat)
    yield "typical", [*game.typical(_player_view_of_seat(seen, seat), seat, luck)]


def _what_faces_say_of_question(seen: Seen, ask: Ask) -> Iterator[tuple[str, Any]]:
    game, fold, seat, lang = seen.game, seen.fold, ask.seat, LANGS[0]
    legal = game.legal(fold, seat)
    yield "legal", [len(legal), [*islice(legal, 40)]]
    yield "prompt", game.prompt(ask, fold, lang)
    yield "pad", game.pad(ask, fold, lang)
    yield "candidates", [*game.candidates(ask, fold, lang)]
    for move in legal[:: max(1, len(legal) // SOME)]:
        written = game.format(move)
        yield f"format of {written}", written
        yield f"parse of {written}", game.parse(written, seat)
        yield f"label of {written}", game.label(move, fold, lang)
        yield f"name of {written}", game.name(move, lang)
        yield f"path of {written}", game.path(move, fold, lang)
        yield f"preview of {written}", [*game.preview(fold, seat, move)]
    position, view = len(seen.events), _player_view_of_seat(seen, seat)
    yield "fallback", game.fallback(fold, seat, seen.luck.fallback(position, ask.key, seat))
    for order in game.meta.orders:
        for sample in order.samples if ask.kind in order.asks else ():
            yield f"follow {order.word}", game.follow(sample, fold, ask, seen.luck.bot(position, ask.key, seat))
    bots = {**game.bots, **({"playout": game.playout} if game.playout is not None else {})}
    for name, bot in bots.items():
        yield f"the bot {name}", bot(view, seat, seen.luck.bot(position, ask.key, seat))
    if game.imagine is not None:
        yield "imagine", game.imagine(view, seat, seen.luck.bot(position, f"{ask.key}:imagined", seat))


def _player_view_of_seat(seen: Seen, seat: int) -> PlayerView:
    return PlayerView(seen.fold, seen.seats, tuple(seen.events), seen.luck.memory(seat))


# --- the other process ---------------------------------------------------------------------------------------


def _faces_and_events_of_match(game: AnyGame, match: dict[str, Any], beside: dict[str, Any]) -> dict[str, Any]:
    """Returns what this process says of a match, and how it plays it beside another one."""
    codec = codec_for(game)
    seats, options, seed = match["seats"], codec.options(match["options"]), bytes.fromhex(match["seed"])
    another = bytes(255 - byte for byte in seed)
    for _ in islice(
        _play_and_yield_what_faces_say(Table(game, seats, options, another)), 1 + len(match["counts"]) // 2
    ):
        pass
    luck, events = luck_from_seed(seed, seats), [codec.event(event) for event in match["events"]]
    viewers = (None, *range(seats))
    seen = [
        [_what_viewer_has_seen(game, seats, luck, viewer, events[:count]) for viewer in viewers]
        for count in match["counts"]
    ]
    said = [[json_by_face(one) for one in reversed(position)][::-1] for position in reversed(seen)][::-1]
    this = Table(game, seats, options, seed)
    other = Table(game, beside["seats"], codec.options(beside["options"]), another)
    for _ in zip_longest(random_decisions(this), random_decisions(other)):
        pass
    return {"said": said, "events": [encode(entry.event).decode() for entry in this.entries]}


def main() -> None:
    """Reads the matches from the standard input, and writes what is said of them as the last line of the output."""
    given = json.load(sys.stdin)
    game = find_game(given["slug"])
    if game is None:
        why = [broken.said for broken in broken_games() if broken.slug == given["slug"]]
        raise SystemExit(" ".join(why) or f"there is no game {given['slug']!r} there")
    matches = given["matches"]
    answers = []
    for at, match in enumerate(matches):
        with limit_computing_time():
            answers.append(_faces_and_events_of_match(game, match, matches[at - 1]))
    print("\n" + json.dumps(answers))  # noqa: T201


if __name__ == "__main__":
    main()
