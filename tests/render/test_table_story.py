"""Every event of the table has a line in both languages, in its place among the game's lines."""

from __future__ import annotations

import pytest

from pbem.games.hogen import GAME
from pbem.kit.contract import Card, Event
from pbem.kit.replay import (
    TABLE_EVENTS,
    Absent,
    By,
    Cancelled,
    Entry,
    Extended,
    MatchEnded,
    Replaced,
    Resigned,
    Returned,
    TableEvent,
    Voted,
)
from pbem.kit.texts import LANGS, Lang
from pbem.render import phrases
from pbem.render.table_story import Narrator, automatic_move_prefix, card_of_table_event, tell_table_event
from tests.harness.cases import cases
from tests.table import THREE


def sample_event(kind: type[TableEvent]) -> TableEvent:
    """An event of this kind about seat 1."""
    if kind is MatchEnded:
        return MatchEnded("last_seat", (0,))
    wanted = {"seat": 1, "voter": 2, "seconds": 7200, "to": 1}
    return kind(**{name: value for name, value in wanted.items() if name in kind.__struct_fields__})


def log_entry(event: Event, n: int = 1, key: str | None = None, clock: int | None = None) -> Entry[Event]:
    """An entry of the log."""
    by = By(table=True) if key is None else By(clock=clock) if clock is not None else By(seat=0)
    return Entry(n, "2026-03-12T12:04:00Z", by, key, event)


@cases("lang", LANGS)
@cases("kind", TABLE_EVENTS)
def test_every_table_event_has_a_story_line(kind: type[TableEvent], lang: Lang) -> None:
    event = sample_event(kind)
    line = phrases.phrase_text(tell_table_event(event, lang), THREE)
    assert line.endswith(".")
    assert "%" not in line
    assert ("Bob" in line) == ("seat" in kind.__struct_fields__)
    assert ("Carol" in line) == (kind is Voted)


def test_table_events_have_different_lines_in_both_languages() -> None:
    for kind in TABLE_EVENTS:
        assert tell_table_event(sample_event(kind), "fr") != tell_table_event(sample_event(kind), "en")


@cases(
    "event, line",
    [
        (Extended(7200), "All deadlines are 2 hours later."),
        (Extended(-7200), "All deadlines are 2 hours earlier."),
        (Extended(90_000, 1), "Bob has 1 day and 1 hour more."),
        (Extended(-90_000, 1), "Bob has 1 day and 1 hour less."),
    ],
)
def test_the_story_of_a_moved_deadline_says_whose_and_in_which_direction(event: Extended, line: str) -> None:
    assert phrases.phrase_text(tell_table_event(event, "en"), THREE).replace("\u00a0", " ") == line


@cases(
    "event, english, french",
    [
        (Cancelled(), "The match is called off.", "La partie est annulée."),
        (
            Cancelled("host"), "The match is called off. The host has stopped it.",
            "La partie est annulée. L’hébergeur l’a arrêtée.",
        ),
        (
            Cancelled("abandoned"), "The match is called off. Nobody came back to it.",
            "La partie est annulée. Personne n’y est revenu.",
        ),
        (
            Cancelled("season"), "The match is called off. Its season ended before the match did.",
            "La partie est annulée. Sa saison s’est terminée avant elle.",
        ),
    ],
)  # fmt: skip
def test_the_story_says_why_a_match_was_called_off_if_the_log_knows(
    event: Cancelled, english: str, french: str
) -> None:
    assert (tell_table_event(event, "en"), tell_table_event(event, "fr")) == (english, french)


@cases(
    "event, english, french",
    [
        (
            MatchEnded("last_seat", (1,)), "Everybody else has resigned: Bob wins.",
            "Tous les autres ont abandonné\u00a0: Bob gagne.",
        ),
        (
            MatchEnded("no_people", (1, 2)), "Only bots are left: Bob and Carol win.",
            "Il ne reste que des robots\u00a0: Bob et Carol gagnent.",
        ),
    ],
)  # fmt: skip
def test_an_end_by_the_table_is_told_with_who_wins(event: MatchEnded, english: str, french: str) -> None:
    told = [phrases.phrase_text(tell_table_event(event, lang), THREE) for lang in ("en", "fr")]
    assert told == [english, french]


def test_a_table_event_without_a_story_line_is_an_error() -> None:
    class Sneezed(TableEvent, frozen=True):
        pass

    with pytest.raises(TypeError):
        tell_table_event(Sneezed(), "en")


def test_the_clock_is_named_once_for_all_that_follows_from_its_move() -> None:
    narrator, fact = Narrator(GAME, "en"), Replaced(0)
    game = Event()
    lines = [
        narrator.line(log_entry(game, 1, "t1.act0", clock=1), "{1} passes."),
        narrator.line(log_entry(game, 2, "t1.act0", clock=1), "A round is over."),
        narrator.line(log_entry(fact, 3), ""),
        narrator.line(log_entry(game, 4, "t2.act0", clock=1), ""),
        narrator.line(log_entry(game, 5, "t3.act0"), "{0} passes."),
        narrator.line(log_entry(game, 6, "t4.act0", clock=1), "{1} passes."),
    ]
    clock = automatic_move_prefix(1, "en")
    assert lines == [
        f"{clock} {{1}} passes.", "A round is over.", tell_table_event(fact, "en"), clock, "{0} passes.",
        f"{clock} {{1}} passes.",
    ]  # fmt: skip


# --- cards -----------------------------------------------------------------------------------------------------


@cases("kind", TABLE_EVENTS)
def test_a_change_of_a_seats_player_is_a_news_card_for_all_others(kind: type[TableEvent]) -> None:
    event = sample_event(kind)
    changes = kind in (Absent, Resigned, Replaced)
    for lang in LANGS:
        assert [card_of_table_event(event, viewer, lang) is not None for viewer in (0, 1, None)] == [
            changes,
            False,
            changes,
        ]


def test_the_news_cards_of_table_events_have_their_exact_texts() -> None:
    said = {kind: [card_of_table_event(kind(1), 0, lang) for lang in LANGS] for kind in (Absent, Resigned, Replaced)}
    assert said == {
        Absent: [
            Card("{1} est absent", ("Deux tours manqués de suite\u00a0: l’horloge joue désormais aussitôt.",)),
            Card("{1} is absent", ("Two turns missed in a row: the clock moves at once from now on.",)),
        ],
        Resigned: [
            Card("{1} abandonne", ("Jusqu’à la fin, les coups de cette place sont automatiques.",)),
            Card("{1} has resigned", ("All moves of this seat are automatic until the end.",)),
        ],
        Replaced: [
            Card("{1} rejoint la partie", ("Un remplaçant a repris la place et continue.",)),
            Card("{1} joins the match", ("A substitute has taken over the seat, and plays on.",)),
        ],
    }


def test_an_automatic_move_is_a_news_card_for_its_present_player() -> None:
    narrator, game = Narrator(GAME, "en"), Event()
    log = [
        log_entry(game, 1, "a", clock=1), log_entry(game, 2, "a", clock=1), log_entry(game, 3, "b", clock=1),
        log_entry(Absent(1), 4), log_entry(game, 5, "c", clock=1), log_entry(Returned(1), 6),
        log_entry(game, 7, "d", clock=1),
        log_entry(Resigned(1), 8), log_entry(game, 9, "e", clock=1), log_entry(Replaced(1), 10),
        log_entry(game, 11, "f", clock=1),
        log_entry(game, 12, "g", clock=0), log_entry(game, 13, "h"),
    ]  # fmt: skip
    cards = {}
    for one in log:
        cards[one.n] = narrator.card_of_table_or_clock(one, "{1} passes." if one.n != 3 else "", 1)
        narrator.line(one, "")
    told = Card("The clock moved for you", ("Your time was up.", "{1} passes."))
    assert {n: made for n, made in cards.items() if made is not None} == {
        1: told,
        3: Card(told.title, told.lines[:1]),
        7: told,
        11: told,
    }
    assert all(Narrator(GAME, "en").card_of_table_or_clock(one, "", None) is None for one in log if one.key)
