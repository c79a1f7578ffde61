"""Matches in which something can be taken back."""

from __future__ import annotations

from tests.api.cast import Api, Table, json_of


def niigata(rest: Api) -> tuple[Table, int, int]:
    """A table, who has just played, and the version before."""
    table = Table(rest, rest.start(game="niigata"))
    before = json_of(table.charlie.get(table.path))
    mover = before["asks"][0]["seat"]
    receipt = json_of(table.play(mover, table.ask(mover)["legal"][0]), 201)
    assert receipt["takeback"] == {"to": before["version"], "held_until": None}
    return table, mover, before["version"]


def table_with_reply(rest: Api) -> tuple[Table, int, int]:
    """A table of Niigata where another has played since somebody's move; who moved, and the version before."""
    for _ in range(40):
        table, mover, to = niigata(rest)
        following = json_of(table.charlie.get(table.path))["asks"][0]["seat"]
        if following == mover:
            continue
        table.play(following, table.ask(following)["legal"][0])
        if json_of(table.seat(mover).get(f"{table.path}/takeback"))["state"] == "consent":
            return table, mover, to
    raise AssertionError("no move after which another plays, without luck")
