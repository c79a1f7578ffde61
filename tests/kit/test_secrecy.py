"""Marks: which viewer sees which field; contradictory declarations are errors."""

from typing import Annotated, Any

import msgspec
import pytest

from pbem.kit.contract import Event, Seat, Viewer
from pbem.kit.replay import seats_in_value
from pbem.kit.secrecy import (
    Each,
    Fading,
    Hidden,
    Open,
    Own,
    SecrecyMark,
    Shown,
    agrees,
    can_fade,
    check_visibility,
    each,
    fades,
    fields_by_seat,
    hide,
    is_fading,
    marks_of,
    nobody,
    redact,
    to,
    visibility_of,
    withholds,
    without,
)
from tests.harness.cases import cases

ALICE, BOB, CAROL = range(3)
CHARLIE: Viewer = None


class Marked(Event, frozen=True):
    giver: Seat
    takers: tuple[Seat, ...]
    open: bool
    card: Annotated[str | None, to("giver", "takers")] = None
    pile: Annotated[tuple[str | None, ...], nobody(unless="open")] = ()
    hands: Annotated[tuple[tuple[str | None, ...], ...], each()] = ()
    glance: Annotated[str | None, fades()] = None
    whisper: Annotated[str | None, to("giver"), fades(unless="open")] = None
    top: Annotated[str | None, fades(repeated=True)] = None
    plain: str = "x"


EVENT = Marked(ALICE, (BOB,), False, "F1", ("M1", "M2"), (("a", "b"), ("c",), ()), "seen", "psst", "T1")


def test_a_field_marked_to_is_shown_to_the_seats_that_the_event_names() -> None:
    assert [redact(EVENT, v).card for v in (ALICE, BOB, CAROL, CHARLIE)] == ["F1", "F1", None, None]


def test_a_field_for_a_seat_that_is_none_is_hidden_from_spectators() -> None:
    class Taken(Event, frozen=True):
        taker: Seat | None
        helpers: tuple[Seat | None, ...] = ()
        card: Annotated[str | None, to("taker", "helpers")] = None

    for event in (Taken(None, (BOB,), "F1"), Taken(ALICE, (None, BOB), "F1")):
        assert redact(event, BOB).card == "F1"
        assert redact(event, CHARLIE).card is None


def test_a_nobody_field_is_hidden_from_all_but_keeps_its_length() -> None:
    assert {redact(EVENT, v).pile for v in (ALICE, BOB, CAROL, CHARLIE)} == {(None, None)}


def test_the_condition_unless_lifts_a_secrecy_mark() -> None:
    assert redact(msgspec.structs.replace(EVENT, open=True), CHARLIE).pile == ("M1", "M2")


def test_an_each_field_shows_a_seat_its_own_element_and_others_length() -> None:
    assert redact(EVENT, BOB).hands == ((None, None), ("c",), ())
    assert redact(EVENT, CHARLIE).hands == ((None, None), (None,), ())


def test_a_fades_field_is_shown_to_all_only_while_it_is_fresh() -> None:
    assert redact(EVENT, CHARLIE, fresh=True).glance == "seen"
    assert redact(EVENT, ALICE, fresh=False).glance is None


def test_a_repeated_field_is_seen_while_fresh_or_if_newest_of_its_type() -> None:
    assert redact(EVENT, CHARLIE).top == "T1"
    assert redact(EVENT, CHARLIE, fresh=False).top is None
    newest = redact(EVENT, CHARLIE, fresh=False, newest=True)
    assert (newest.top, newest.glance) == ("T1", None)
    assert redact(EVENT, BOB, fresh=False, newest=True).card == "F1"
    assert redact(EVENT, CAROL, fresh=False, newest=True).card is None


def test_several_marks_must_all_let_the_viewer_see() -> None:
    assert redact(EVENT, ALICE).whisper == "psst"
    assert redact(EVENT, BOB).whisper is None
    assert redact(EVENT, ALICE, fresh=False).whisper is None
    opened = msgspec.structs.replace(EVENT, open=True)
    assert redact(opened, ALICE, fresh=False).whisper == "psst"
    assert redact(opened, BOB).whisper is None


def test_a_field_without_a_secrecy_mark_is_for_everybody() -> None:
    assert redact(EVENT, CHARLIE).plain == "x"
    assert redact(EVENT, CHARLIE).takers == (BOB,)


def test_redacting_an_event_without_secrets_returns_the_same_object() -> None:
    class Open(Event, frozen=True):
        seat: Seat

    event = Open(ALICE)
    assert redact(event, CHARLIE) is event


def test_a_redacted_event_redacts_to_itself() -> None:
    for viewer in (ALICE, BOB, CHARLIE):
        once = redact(EVENT, viewer)
        assert redact(once, viewer) == once


def test_withholds_is_true_for_events_hidden_in_whole_or_in_part() -> None:
    opened = msgspec.structs.replace(EVENT, open=True)
    assert not withholds(EVENT)
    assert withholds(redact(EVENT, CHARLIE))
    assert not withholds(msgspec.structs.replace(opened, pile=()))
    assert withholds(msgspec.structs.replace(opened, pile=("M1", None)))
    assert withholds(msgspec.structs.replace(opened, hands=(("a", "b"), (None,), ())))
    assert withholds(msgspec.structs.replace(opened, card=None))


def test_fields_that_can_fade_or_are_dealt_by_seat_are_listed() -> None:
    class Plain(Event, frozen=True):
        seat: Seat

    assert can_fade(Marked)
    assert not can_fade(Plain)
    assert fields_by_seat(Marked) == ("hands",)


def test_an_event_is_fading_unless_every_fades_mark_is_lifted() -> None:
    class Optional(Event, frozen=True):
        open: bool
        card: Annotated[str | None, fades(unless="open")]
        other: Annotated[str | None, nobody()] = None

    assert is_fading(Optional(False, "F1"))
    assert not is_fading(Optional(True, "F1"))
    assert is_fading(EVENT)
    assert is_fading(msgspec.structs.replace(EVENT, open=True)), "one of its marks is never lifted"


def test_hide_keeps_the_length_of_a_hidden_tuple() -> None:
    assert hide((("a",), (), ("b", "c"))) == ((None,), (), (None, None))


class Holder(msgspec.Struct, frozen=True):
    card: Annotated[str | None, nobody()]


@cases(
    "field, why",
    [
        (Annotated[str | None, to("stranger")], "not a field"),
        (Annotated[str | None, to("other")], "secret itself"),
        (Annotated[str | None, nobody(unless="name")], "must be a bool"),
        (Annotated[str | None, nobody(unless="gone")], "not a field"),
        (Annotated[str | None, each()], "needs a tuple"),
        (Annotated[str, nobody()], "must admit None"),
        (Annotated[tuple[str, ...], nobody()], "must admit None"),
        (Annotated[tuple[str | None, int], nobody()], "must admit None"),
        (Annotated[str | int, nobody()], "must admit None"),
        (tuple[Annotated[str | None, nobody()], ...], "on the whole field"),
        (Annotated[str | None, nobody()] | int, "on the whole field"),
        (Annotated[tuple[Annotated[str | None, nobody()], ...], fades()], "on the whole field"),
        (tuple[Holder, ...], "on the whole field"),
        (Holder, "on the whole field"),
        (Open[tuple[Shown[str], ...]], "on the whole field"),
        (Annotated[str | None, SecrecyMark("open"), nobody()], "nothing else"),
        (Hidden[str], "must admit None"),
    ],
)
def test_an_impossible_secrecy_mark_is_an_error(field: Any, why: str) -> None:
    fields = [("seat", Seat), ("name", str), ("other", Annotated[str | None, nobody()]), ("card", field)]
    bad = msgspec.defstruct("Bad", fields, bases=(Event,), frozen=True)
    with pytest.raises(TypeError, match=why):
        marks_of(bad)


class Said(Event, frozen=True):
    seat: Open[Seat]
    said: Open[bool]
    laid: Shown[str]
    card: Own[str | None]
    hands: Annotated[Each[tuple[tuple[str | None, ...], ...]], msgspec.Meta(max_length=2)]
    pile: Hidden[tuple[str | None, ...]]
    glance: Fading[str | None]
    gift: Annotated[str | None, to("seat", "taker", unless="said")]
    taker: Open[Seat | None] = None


SAID = Said(ALICE, False, "F1", "F2", (("a",), ("b",)), ("c",), "seen", "given", BOB)


def test_each_secrecy_mark_reads_as_who_sees_the_field() -> None:
    assert {name: [str(mark) for mark in marks] for name, marks in visibility_of(Said).items()} == {
        "seat": ["open"],
        "said": ["open"],
        "laid": ["shown"],
        "card": ["only seat"],
        "hands": ["each its own"],
        "pile": ["nobody"],
        "glance": ["all while it is fresh"],
        "gift": ["only seat and taker, unless said"],
        "taker": ["open"],
    }
    check_visibility(Said)


def test_an_event_with_secrecy_words_is_redacted_like_one_with_marks() -> None:
    assert redact(SAID, BOB) == Said(ALICE, False, "F1", None, ((None,), ("b",)), (None,), "seen", "given", BOB)
    assert redact(SAID, CHARLIE, fresh=False) == Said(
        ALICE, False, "F1", None, ((None,), (None,)), (None,), None, None, BOB
    )


def test_an_event_of_open_and_shown_fields_alone_stays_the_same_object() -> None:
    class Laid(Event, frozen=True):
        seat: Open[Seat]
        card: Shown[str]

    event = Laid(ALICE, "F1")
    assert redact(event, CHARLIE) is event
    assert marks_of(Laid) == {}


def test_a_field_without_a_secrecy_word_is_an_error_naming_it() -> None:
    with pytest.raises(TypeError, match=r"Marked\.giver: say who sees it"):
        check_visibility(Marked)


def test_a_seat_in_a_field_with_a_secrecy_word_is_found() -> None:
    assert [*seats_in_value(SAID)] == [ALICE, BOB]


def test_secrecy_words_change_neither_schema_nor_stored_bytes() -> None:
    class Plain(Event, frozen=True, tag="Said"):
        seat: Seat
        laid: str
        card: str | None

    class Words(Event, frozen=True, tag="Said"):
        seat: Open[Seat]
        laid: Shown[str]
        card: Own[str | None]

    def schema(kind: type[Event]) -> str:
        return str(msgspec.json.schema_components([kind])[1]).replace(kind.__name__, "")

    assert schema(Words) == schema(Plain)
    assert msgspec.json.encode(Words(ALICE, "F1", None)) == msgspec.json.encode(Plain(ALICE, "F1", None))


def test_without_takes_the_known_card_or_a_hidden_one() -> None:
    assert without(("F1", None, "M2"), "M2") == ("F1", None)
    assert without(("F1", None), "M2") == ("F1",)
    assert without(("F1", None), None) == ("F1",)
    with pytest.raises(ValueError, match="not in tuple"):
        without(("F1",), "M2")


class Position(msgspec.Struct, frozen=True):
    hands: tuple[tuple[str | None, ...], ...]
    allies: tuple[str | None, ...]
    out: tuple[bool, ...] = ()


def test_agrees_accepts_folds_that_know_less_or_order_hands_differently() -> None:
    full = Position((("F1", "M2"), ("T1",)), ("B1", "B2"), (True, False))
    assert agrees(full, Position(((None, "F1"), (None,)), (None, "B2"), (True, False)))


@cases(
    "seen",
    [
        Position((("T1", None), (None,)), (None, None), (True, False)),
        Position((("T1",), ("F1", "M2")), (None, None), (True, False)),
        Position(((None, None), ("F1",)), (None, None), (True, False)),
        Position(((None, None), (None,)), ("B2", "B1"), (True, False)),
        Position(((None, None), (None,)), (None, None), (False, True)),
        Position(((None,), (None,)), (None, None), (True, False)),
        Position(((None, None), (None,)), (None,), (True, False)),
    ],
)
def test_a_fold_with_a_contradicting_value_does_not_agree(seen: Position) -> None:
    full = Position((("F1", "M2"), ("T1",)), ("B1", "B2"), (True, False))
    assert not agrees(full, seen)


def test_two_hands_of_one_size_in_exchanged_places_do_not_agree() -> None:
    full = Position((("F1",), ("T1",)), ())
    assert not agrees(full, Position((("T1",), ("F1",)), ()))


def test_only_within_one_hand_may_cards_be_known_in_another_order() -> None:
    assert agrees(((("F1", "M2"),),), ((("M2", "F1"),),))
    assert not agrees(((("F1",), ("M2",)),), ((("M2",), ("F1",)),))


def test_a_value_of_another_kind_than_a_tuple_does_not_agree_with_one() -> None:
    assert not agrees(("F1",), "F1")
    assert not agrees(("F",), "F")
    assert not agrees("F", ("F",))


def test_states_of_different_kinds_do_not_agree() -> None:
    assert not agrees(Position((), ()), Holder("F1"))
