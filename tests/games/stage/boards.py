"""Positions of all games, and what their boards draw and tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from msgspec import structs

from pbem.kit.contract import AnyGame, Link, Scene, Shape, Step, Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import evolve_all, redact_entries
from pbem.kit.texts import Lang
from pbem.render import pictures
from tests.games.discovered import options_of, tables
from tests.transcripts import seed_of

CLASSES = {*re.findall(r"\.([a-z][\w-]*)", pictures.literal_styles()), "fresh", "night-svg", *get_args(Shape)}
"""What the style sheet of the boards draws; "fresh", "night-svg" and the shapes are for the pages' sheets."""


def positions(game: AnyGame, every: int) -> Iterator[Table]:
    """Some matches stopped in every phase, and every this many decisions of one with each number of seats."""
    yield from tables(game)
    for seats in game.meta.seats:
        table = Table(game, seats, options_of(game, seats), seed_of(f"boards of {game.meta.slug}", seats, 0))
        for at, _ in enumerate(random_decisions(table)):
            if at % every == 0:
                yield table


def scenes(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Any, Scene]]:
    """The folds and scenes of a position: as it is, after what has just happened, on the way to each kind of move."""
    game, fold = table.game, table.folds[viewer]
    past = redact_entries(table.entries, viewer)
    recent = tuple((n, entry.event) for n, entry in enumerate(past, 1))[-12:]
    yield fold, Scene()
    yield fold, Scene(recent=recent)
    if viewer is None or not any(ask.seat == viewer for ask in game.pending(fold)):
        return
    free = any(ask.seat == viewer and game.meta.asks[ask.kind].any_order for ask in game.pending(fold))
    legal = list(game.legal(fold, viewer))
    some = legal[:: max(1, len(legal) // 20)]
    paths = [(move, game.path(move, fold, lang)) for move in [*some, *{type(move): move for move in legal}.values()]]
    for move, path in {type(move): (move, path) for move, path in paths}.values():
        steps = tuple(step.text for step in path)
        for n in range(len(steps)):
            # A page offers just the next step of the moves that begin with what is chosen; in any order, every other.
            ways = [way[n:] if free else way[n : n + 1] for _, way in paths if free or _begins(way, steps[:n])]
            nexts = {step.text: step.label for way in ways for step in way if step.text not in steps[:n]}
            links = {text: Link(f"?{text}&x", label) for text, label in nexts.items()}
            yield fold, Scene(links=links, chosen=steps[:n], recent=recent)
        after = evolve_all(game, fold, game.preview(fold, viewer, move))
        yield after, Scene(chosen=steps, recent=recent)


def _begins(way: Sequence[Step], steps: Sequence[str]) -> bool:
    return [step.text for step in way[: len(steps)]] == [*steps]


def scenes_in(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Shape, str]]:
    """The boards of a position in all shapes of its game; an empty pad is not a drawing."""
    game = table.game
    bots = frozenset(seat for seat in range(1, table.seats, 2) if seat != viewer)
    for fold, scene in scenes(table, viewer, lang):
        for shape in game.meta.shapes:
            svg = game.draw(fold, viewer, lang, structs.replace(scene, shape=shape, bots=bots))
            assert svg or shape == "pad"
            if svg:
                yield shape, svg


TELLS = re.compile(r"<text[^>]*>([^<]+)</text>")
