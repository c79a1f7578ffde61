"""A letter of each kind about seasons, and how each is treated on its way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from msgspec import structs

from pbem.features.circles.circle_letters import CircleWeek
from pbem.features.leagues.letters.calledoff import CalledOff
from pbem.features.leagues.letters.callup import CallUp
from pbem.features.leagues.letters.entry import Entry
from pbem.features.leagues.letters.finish import Finish
from pbem.features.leagues.letters.kickoff import KickOff
from pbem.features.leagues.letters.week import SeasonWeek, Week
from pbem.features.leagues.season_letters import SeasonMatchLine, SeasonRow
from pbem.features.leagues.terms import SeasonTerms
from pbem.kit.texts import Lang
from pbem.mail.letters import Letter
from tests.features.circles.letters import MEMBER
from tests.mail.samples import AT, COMMITMENT, GAME, OTHER, TOKEN, fields_for_reader

TREATED: dict[str, tuple[set[str], str | None, tuple[str, ...]]] = {
    "calledoff": (set(), None, ()),
    "callup": ({"capped"}, None, ()),
    "entry": ({"capped", "on_request", "proves_address"}, None, ()),
    "finish": (set(), None, ("rows",)),
    "kickoff": (set(), None, ("matches",)),
    "week": (set(), "week", ("seasons", "circles")),
}  # fmt: skip
"""As in `tests/mail/test_kinds.py`."""
WITH_A_WAY = (CallUp, Week)

SEASON_TERMS = SeasonTerms(seats=3, matches=3, turn_s=2 * 86_400, duplicate=True, unfinished="half")


def of_season(row: int, who: str, lang: Lang) -> dict[str, Any]:
    """The fields that every letter about a season has."""
    return {
        **fields_for_reader(row, who, lang), "game": GAME, "league": "Autumn league", "number": 2, "name": who,
        "starts_at": AT + timedelta(days=7), "ends_at": AT + timedelta(days=49), "terms": SEASON_TERMS,
    }  # fmt: skip


ENTRY = f"https://pbem.example/entry/{TOKEN}"


def entry_letter(lang: Lang) -> Entry:
    """Bob has typed his address to enter a season."""
    return Entry(**of_season(101, "Bob", lang), entered=False, entry_url=ENTRY)


def call_up(lang: Lang) -> CallUp:
    """Bob is invited to a season."""
    return CallUp(**of_season(102, "Bob", lang), again=False, entry_url=ENTRY)


def kick_off(lang: Lang) -> KickOff:
    """A duplicate season has begun; Bob has two matches, and a round without a table."""
    matches = (
        SeasonMatchLine(1, ("Alice", "Carol"), f"https://pbem.example/play/{TOKEN}1", COMMITMENT),
        SeasonMatchLine(2, ("Dave", "Fanny"), f"https://pbem.example/play/{TOKEN}2", OTHER),
    )
    return KickOff(
        **of_season(103, "Bob", lang), division=1, divisions=2, matches=matches, bye=1,
        entry_url=ENTRY,
    )  # fmt: skip


def finish_letter(lang: Lang) -> Finish:
    """A season is over; Bob moves up."""
    rows = (SeasonRow(1, "Bob", 2.5, True), SeasonRow(2, "Carol", 1, False), SeasonRow(2, "Dave", 1, False))
    return Finish(
        **of_season(104, "Bob", lang), division=2, divisions=2, rows=rows, of=3, moves="up", unfinished=1,
        next_at=AT + timedelta(days=7), next_url=f"{ENTRY}2", entry_url=ENTRY,
    )  # fmt: skip


def letter_of_end(lang: Lang) -> CalledOff:
    """A season does not take place."""
    return CalledOff(**of_season(105, "Bob", lang), few=True, entry_url=ENTRY)


def weekly_letter(lang: Lang) -> Week:
    """Bob's week: a season that runs, one that he is asked to enter, and a circle."""
    runs = SeasonWeek(
        "Autumn league", 2, 3, 8, 1.25, 2, 3, AT + timedelta(days=20), ENTRY
    )  # fmt: skip
    asks = replace(runs, number=3, place=None, points=None, asked=True, entry_url=f"{ENTRY}2")
    circle = CircleWeek("Les Lacs", GAME, 1, 5, AT + timedelta(days=3), MEMBER)
    return Week(
        **fields_for_reader(106, "Bob", lang), seasons=(runs, asks), circles=(circle,), week_url=f"https://pbem.example/week/{TOKEN}"
    )  # fmt: skip


def samples(lang: Lang) -> list[Letter]:
    """The letters about seasons, and those that read differently."""
    later = AT + timedelta(minutes=40)
    return [
        entry_letter(lang),
        replace(entry_letter(lang), row=107, entered=True, at=later),
        call_up(lang),
        replace(call_up(lang), row=108, again=True, at=later),
        kick_off(lang),
        replace(
            kick_off(lang),
            row=109,
            divisions=1,
            bye=0,
            at=later,
            terms=structs.replace(SEASON_TERMS, duplicate=False),
            matches=tuple(replace(one, commitment=None) for one in kick_off(lang).matches),
        ),
        finish_letter(lang),
        replace(finish_letter(lang), row=110, moves="stays", unfinished=0, next_at=None, next_url=None, at=later),
        replace(
            finish_letter(lang),
            row=112,
            division=1,
            divisions=1,
            moves="stays",
            next_url=None,
            at=2 * (later - AT) + AT,
        ),
        letter_of_end(lang),
        replace(letter_of_end(lang), row=111, few=False, at=later),
        weekly_letter(lang),
    ]
