"""The drawn board: every state of two scripted matches, from every seat and for a spectator."""

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from xml.etree import ElementTree

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.board.whole import draw
from pbem.games.hogen.facts import (
    AllyChosen,
    Began,
    Call,
    Called,
    Dealt,
    Declared,
    Exchanged,
    Guess,
    Passed,
    Refuted,
    State,
    Stopped,
    Unmasked,
    calls_allowed_with_ally,
)
from pbem.kit.contract import Event, Link, Scene, Viewer
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang
from pbem.render import pictures
from tests.harness.cases import cases

NAMES = ["Alice", "Bob", "Carol", "Dave"]
PALACE = ("M1", "F4", "T3", "B2")
HANDS = (("T1", "M4", "F2"), ("B4", "M2", "F1"), ("F3", "T2", "B1"), ("B3", "T4", "M3"))
FOUR: tuple[Event, ...] = (
    Dealt(PALACE, HANDS),
    AllyChosen(2, "B1"),
    AllyChosen(0, "F2"),
    AllyChosen(1, "F1"),
    AllyChosen(3, "M3"),
    Began(0),
    Called(0, None, 4),
    Exchanged(1, "B4", "M1"),
    Called(1, "B", 1),
    Passed(2),
    Passed(3),
    Passed(0),
    Declared(1, (Guess(0, "F2"), Guess(2, "B1"), Guess(3, "F3"))),
    Refuted(1, ("F2", "B1", "M3")),
    Called(2, "M", None),
    Passed(3),
    Exchanged(0, "M4", "T3"),
    Declared(0, (Guess(1, "F1"), Guess(2, "B1"), Guess(3, "M3"))),
    Unmasked(0, (Guess(1, "F1"), Guess(2, "B1"), Guess(3, "M3"))),
)
THREE: tuple[Event, ...] = (
    Dealt(PALACE, (("T1", "M4", "B3", "F2"), ("B4", "M2", "T4", "F1"), ("F3", "T2", "M3", "B1"))),
    AllyChosen(1, "F1"),
    AllyChosen(2, "B1"),
    AllyChosen(0, "F2"),
    Began(2),
    Called(2, "T", None),
    Exchanged(0, "T1", "B2"),
    Refuted(0, ("F1", "B1")),
    Refuted(1, ("F2", "B1")),
    Refuted(2, ("F2", "F1")),
    Stopped("all_wrong"),
)
FULL = "everything"
Eyes = Viewer | str


def fold(events: Sequence[Event], eyes: Eyes) -> State:
    seen = [event if isinstance(eyes, str) else redact(event, eyes) for event in events]
    state: State | None = reduce(GAME.evolve, seen, None)
    assert state is not None
    return state


def positions() -> Iterator[tuple[State, Viewer, tuple[Event, ...]]]:
    for seats, match in ((3, THREE), (4, FOUR)):
        for end in range(1, len(match) + 1):
            for eyes in (FULL, None, *range(seats)):
                yield fold(match[:end], eyes), None if isinstance(eyes, str) else eyes, match[:end]


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.svg_with_names(svg, NAMES))


def pieces(tree: ElementTree.Element) -> list[str]:
    return sorted(e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib)


def what_is_known(state: State) -> list[str]:
    cards = [*state.palace, *(c for hand in state.hands for c in hand), *state.allies]
    return sorted(c for c in cards if c is not None)


def labels(tree: ElementTree.Element) -> list[str]:
    return [a.attrib["aria-label"] for a in tree.iter("a")]


def words(tree: ElementTree.Element) -> list[str]:
    return ["".join(t.itertext()) for t in tree.iter("text")]


@pytest.mark.long
def test_a_board_shows_exactly_the_cards_that_the_viewers_fold_knows() -> None:
    for state, viewer, _ in positions():
        svg = draw(state, viewer, "en", Scene())
        tree = parse(svg)
        assert pieces(tree) == what_is_known(state)
        calls = [*state.failed, *([state.call] if state.call else [])]
        named = {f"{call.clan}{call.rank}" for call in calls}
        assert set(re.findall(r"\b[FMTB][1-4]\b", svg)) - named == set(what_is_known(state)) - named
        backs = sum(use.attrib["href"] == "#back" for use in tree.iter("use"))
        assert backs + len(what_is_known(state)) == 16


def test_a_seats_board_does_not_depend_on_hidden_cards() -> None:
    mine, *others = HANDS
    deals = [Dealt(PALACE, (mine, *others)), Dealt(PALACE, (mine, *reversed(others)))]
    seen = {draw(fold([deal], 0), 0, "fr", Scene()) for deal in deals}
    assert len(seen) == 1


def test_a_board_with_links_has_the_role_group_and_without_links_img() -> None:
    state = fold(FOUR[:7], 1)
    link = Scene(links={"give-B4": Link("?m=give-B4", "Give B4")})
    assert parse(draw(state, 1, "en", Scene())).attrib["role"] == "img"
    assert parse(draw(state, 1, "en", link)).attrib["role"] == "group"


def test_only_the_palace_and_ones_own_hand_can_be_touched() -> None:
    steps = {f"{k}-{c}": Link(f"?{k}-{c}", f"{k} {c}") for k in ("give", "take") for c in (*PALACE, "B4", "M2", "T1")}
    tree = parse(draw(fold(FOUR[:7], 1), 1, "en", Scene(links=steps)))
    assert sorted(labels(tree)) == sorted([*(f"take {c}" for c in PALACE), "give B4", "give M2"])


def test_while_allies_are_chosen_the_whole_hand_can_be_touched() -> None:
    steps = {f"ally-{c}": Link(f"?{c}", c) for c in ("T1", "M4", "B3", "F2")}
    tree = parse(draw(fold(THREE[:1], 0), 0, "fr", Scene(links=steps)))
    assert sorted(labels(tree)) == ["B3", "F2", "M4", "T1"]


def test_a_hostile_links_text_is_escaped_in_the_board() -> None:
    link = Link('?m="><script>&n={0}', '{1} "quoted" <b> & more')
    tree = parse(draw(fold(FOUR[:7], 1), 1, "en", Scene(links={"give-B4": link})))
    (anchor,) = tree.iter("a")
    assert (anchor.attrib["href"], anchor.attrib["aria-label"]) == (link.href, link.label)


def test_chosen_cards_bear_seals_and_are_no_longer_links() -> None:
    links = {f"take-{c}": Link("?", c) for c in ("M1", "F4", "T3", "B2")}
    after = GAME.evolve(fold(FOUR[:7], 1), Exchanged(1, "B4", "M1"))
    tree = parse(draw(after, 1, "en", Scene(links=links, chosen=("give-B4", "take-M1"))))
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 2
    assert labels(tree) == ["F4", "T3", "B2"]


def test_an_exchange_is_numbered_where_its_two_cards_lie() -> None:
    state = fold(FOUR[:8], 0)
    recent = ((6, FOUR[6]), (7, FOUR[7]))
    assert words(parse(draw(state, 0, "en", Scene(recent=recent)))).count("7") == 2


def test_a_card_that_moved_again_loses_its_earlier_event_number() -> None:
    back = Exchanged(2, "F3", "B4")
    state = GAME.evolve(fold(FOUR[:8], None), back)
    seen = words(parse(draw(state, None, "en", Scene(recent=((7, FOUR[7]), (8, back))))))
    assert (seen.count("7"), seen.count("8")) == (1, 2)


def test_an_open_call_is_numbered_and_names_its_caller_or_says_you() -> None:
    recent = Scene(recent=((42, FOUR[6]),))
    others = words(parse(draw(fold(FOUR[:7], 1), 1, "en", recent)))
    assert "Alice calls for rank 4" in others
    assert others.count("42") == 1
    assert "vous appelez le rang 4" in words(parse(draw(fold(FOUR[:7], 0), 0, "fr", recent)))


@cases("lang, out", [("fr", "hors jeu"), ("en", "out")])
def test_a_seat_that_is_out_is_marked_in_words(lang: Lang, out: str) -> None:
    state = fold(FOUR[:14], 0)
    assert words(parse(draw(state, 0, lang, Scene()))).count(out) == 1
    assert words(parse(draw(fold(FOUR[:14], None), None, lang, Scene()))).count(out) == 1
    assert any(out in w and w != out for w in words(parse(draw(fold(FOUR[:14], 1), 1, lang, Scene()))))


def test_legal_calls_can_be_touched_and_the_others_are_shown_as_forbidden() -> None:
    steps = [
        f"call-{call.clan or ''}{call.rank or ''}" for call in calls_allowed_with_ally("F2") if call != Call(rank=4)
    ]
    scene = Scene(links={step: Link(f"?{step}", step) for step in (*steps, "declare")})
    tree = parse(draw(fold(FOUR[:6], 0), 0, "en", scene))
    assert sorted(labels(tree)) == sorted(["declare"] * 4 + steps), "each ally, and a field of the matrix"
    flat = {use.attrib["href"] for use in tree.iter("use")}
    assert "#eye-shut" in flat, "the ally's own place in the matrix"
    assert sum(circle.attrib["class"] == "i2" for circle in tree.iter("circle")) == 9, "cards that share nothing"


def test_a_chosen_call_bears_a_seal_and_the_others_stay_touchable() -> None:
    steps = [f"call-{call.clan or ''}{call.rank or ''}" for call in calls_allowed_with_ally("F2")]
    links = {step: Link(f"?{step}", step) for step in steps}
    after = GAME.evolve(fold(FOUR[:6], 0), Called(0, None, 4))
    tree = parse(draw(after, 0, "en", Scene(links=links, chosen=("call-4",))))
    assert sorted(labels(tree)) == sorted(step for step in steps if step != "call-4")
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 1
    assert "you call for rank 4" in words(tree)
    assert not any("answer" in line for line in words(tree))


def test_while_declaring_the_cards_for_the_next_ally_can_be_touched() -> None:
    links = {f"C={card}": Link(f"?C={card}", card) for card in ("F3", "B1")}
    svg = draw(fold(FOUR[:6], 0), 0, "en", Scene(links=links, chosen=("declare", "B=F1")))
    tree = parse(svg)
    assert sorted(labels(tree)) == ["B1", "F3"]
    assert {"F1?", "Bob?"} <= set(words(tree)), "below the ally of Bob, and instead of its card in the matrix"
    assert words(tree).count("hides") == 3
    assert words(tree).count("palace") == 4
    assert words(tree).count("yours") == 3
    assert "F1" not in pieces(tree)  # said, not known


def test_an_ally_already_named_can_be_chosen_again() -> None:
    links = {f"D={card}": Link(f"?D={card}", f"D {card}") for card in ("F3", "B3")}
    others = {step: Link(f"?{step}", step) for step in ("call-1", "declare", "B=F1", "B=M3", "C=B1", "C=M3")}
    scene = Scene(links=links, others=others, chosen=("declare", "B=F1", "C=B1"))
    back = labels(parse(draw(fold(FOUR[:6], 0), 0, "en", scene)))
    assert sorted(back) == ["B=F1", "D B3", "D F3", "declare"], (
        "what was chosen before it leads to the question of each"
    )


def test_a_forbidden_call_links_to_the_reason_without_a_frame() -> None:
    refused = {step: Link(f"?no={step}", step) for step in ("call-F", "call-F2", "call-T1", "call-2")}
    steps = [f"call-{call.clan_rank_or_card}" for call in calls_allowed_with_ally("F2")]
    links = {step: Link(f"?{step}", step) for step in steps}
    for shape in ("portrait", "pad"):
        svg = draw(fold(FOUR[:6], 0), 0, "en", Scene(links=links, refused=refused, shape=shape))
        quiet = [link for link in parse(svg).iter("a") if link.attrib["href"].startswith("?no=")]
        assert sorted(link.attrib["aria-label"] for link in quiet) == sorted(refused)
        assert {rect.get("class") for link in quiet for rect in link.iter("rect")} <= {"sk", "cu"}


def test_a_card_that_does_not_fit_links_to_the_reason() -> None:
    refused = {step: Link(f"?no={step}", step) for step in ("give-M2", "take-B4", "take-M2")}
    state = fold(FOUR[:7], 1)
    before = draw(state, 1, "en", Scene(links={"give-B4": Link("?", "B4")}, refused=refused))
    assert labels(parse(before)) == ["B4", "give-M2"]
    after = GAME.evolve(state, Exchanged(1, "B4", "M1"))
    laid = draw(after, 1, "en", Scene(refused=refused, chosen=("give-B4", "take-M1")))
    assert labels(parse(laid)) == ["give-M2"], "what bears the seal was chosen, and says no more"


def test_a_card_hidden_as_ally_leaves_one_dashed_place_in_the_hand() -> None:
    links = {f"ally-{card}": Link(f"?{card}", card) for card in ("T1", "M4", "B3", "F2")}
    after = GAME.evolve(fold(THREE[:1], 0), AllyChosen(0, "B3"))
    svg = draw(after, 0, "en", Scene(links=links, chosen=("ally-B3",)))
    assert labels(parse(svg)) == ["T1", "M4", "F2"]
    assert svg.count('class="sl"') == 1


def test_unanswered_calls_are_shown_while_they_may_not_be_repeated() -> None:
    assert "unanswered" in words(parse(draw(fold(FOUR[:12], 2), 2, "en", Scene())))
    assert "unanswered" not in words(parse(draw(fold(FOUR[:8], 2), 2, "en", Scene())))


def test_the_board_shows_who_passed_and_who_is_awaited() -> None:
    tree = parse(draw(fold(FOUR[:11], 1), 1, "en", Scene()))
    assert words(tree).count("passes") == 2
    assert "answers" in words(tree)
    assert "Alice must answer" in words(parse(draw(fold(FOUR[:11], 1), 1, "en", Scene(shape="landscape"))))
    assert sum(use.attrib["href"] == "#wait" for use in tree.iter("use")) == 1


def test_the_board_says_who_won() -> None:
    assert "Alice gagne" in words(parse(draw(fold(FOUR, 1), 1, "fr", Scene())))
    assert "you win" in words(parse(draw(fold(FOUR, 0), 0, "en", Scene())))
    assert "nobody wins" in words(parse(draw(fold(THREE, None), None, "en", Scene())))


def test_the_board_seats_the_others_clockwise_from_the_viewers_left() -> None:
    svg = draw(fold(FOUR[:7], 2), 2, "en", Scene())
    assert re.findall(r'class="in b"[^>]*>\{(\d):\d+\}<', svg) == ["3", "0", "1"]


def test_a_long_name_is_shortened_on_the_board() -> None:
    names = ["Alice", "Bob" + "-Bob" * 11, "Carol", "Dave"]
    shown = pictures.svg_with_names(draw(fold(FOUR[:7], 0), 0, "en", Scene()), names)
    assert "Bob…" in shown
    assert names[1] not in shown


def test_a_players_name_is_not_shortened_where_its_line_has_room() -> None:
    names = ["Alice", "Bob-Bob-Bob-Bob", "Carol", "Dave"]
    shown = pictures.svg_with_names(draw(fold(FOUR[:7], 0), 0, "en", Scene(shape="landscape")), names)
    assert re.search(r"Bob-Bob-Bob-Bob (calls|must|to play)", shown)


@pytest.mark.long
def test_the_png_of_a_board_changes_with_the_position() -> None:
    drawn = {
        pictures.board_png(GAME, draw(fold(FOUR[:n], e), None, "fr", Scene()), NAMES, 300)
        for n in (7, 8)
        for e in (None, FULL)
    }
    assert len(drawn) == 4
    assert all(data.startswith(b"\x89PNG") for data in drawn)
