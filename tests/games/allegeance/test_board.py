"""The drawn board: every state of some matches, from every seat and for a spectator."""

import hashlib
import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games.allegeance import GAME
from pbem.games.allegeance.board.whole import draw
from pbem.games.allegeance.facts import Given, RoundEnded
from pbem.games.allegeance.facts_state import State, Table
from pbem.games.samurai import CARDS
from pbem.kit.contract import Event, Link, Scene, Viewer
from pbem.kit.play import Table as Match
from pbem.kit.play import random_decisions
from pbem.kit.replay import full_fold
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang
from pbem.render import pictures
from pbem.testing.faces.layout import find_unreadable_or_untouchable, layout_of_document
from tests.games.allegeance.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, Played
from tests.games.allegeance.worlds import log_as_seen
from tests.harness.cases import cases
from tests.transcripts import seed_of

NAMES = ["Alice", "Bob", "Carol", "Dave"]
STEPS = [*(f"announce-{card}" for card in CARDS), *(f"give-{seat}" for seat in "ABCD"), "challenge", "pass"]


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.svg_with_names(svg, NAMES))


def pieces(tree: ElementTree.Element) -> list[str]:
    return sorted(e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib)


def what_is_known(state: State) -> list[str]:
    """The cards that lie somewhere and are known."""
    cards = [*state.palace, *(c for hand in state.hands for c in hand), state.drawn]
    return sorted(card for card in cards if card is not None)


def labels(tree: ElementTree.Element) -> list[str]:
    return [a.attrib["aria-label"] for a in tree.iter("a")]


def words(tree: ElementTree.Element) -> list[str]:
    return ["".join(t.itertext()) for t in tree.iter("text")]


def links(*steps: str) -> dict[str, Link]:
    return {step: Link(f"?pick={step}&x", step) for step in steps}


def positions() -> Iterator[tuple[State, Viewer, tuple[Event, ...]]]:
    for seats in (2, 3, 4):
        for n, options in enumerate((Table(target=1), Table(target=1, memory="open"), Table(target=5))):
            seed = hashlib.sha256(f"board {seats} {n}".encode()).digest()
            match = Match(GAME, seats, options, seed)
            for at, _ in enumerate(random_decisions(match)):
                if at > 45:
                    break
                if at % 4 == 0:
                    for viewer in match.viewers:
                        log = log_as_seen(match.entries, viewer)
                        cut = log[: max(2, len(log) - at % 5)]
                        yield full_fold(GAME, cut), viewer, tuple(e.event for e in cut)
            yield match.state, None, tuple(e.event for e in match.entries)


@pytest.mark.long
def test_a_board_shows_exactly_the_cards_that_the_viewers_fold_knows() -> None:
    for state, viewer, past in positions():
        recent = tuple(enumerate(past[-6:], 1))
        assert pieces(parse(draw(state, viewer, "en", Scene(recent=recent, links=links(*STEPS))))) == what_is_known(
            state
        )


def test_the_sixteen_samurai_can_be_touched_but_for_the_banned_one() -> None:
    played = Played(3, "F1 F2")
    played.miss(ALICE, "T1")
    allowed = [f"announce-{card}" for card in CARDS if card != "T1"]
    tree = parse(draw(played.fold_of(BOB), BOB, "en", Scene(links=links(*allowed))))
    assert labels(tree) == allowed
    assert {"not allowed", "just announced"} <= set(words(tree))


def scene_of(match: Match, seat: int, **more: Any) -> tuple[State, Scene]:
    """What a page shows a seat that is asked: what may be chosen, and what leads to the reason why not."""
    fold = match.folds[seat]
    (ask,) = (ask for ask in GAME.pending(fold) if ask.seat == seat)
    legal = GAME.legal(fold, seat)
    offered = {step.text: step.label for move in legal for step in GAME.path(move, fold, "en")}
    tried = (one.move for one in GAME.candidates(ask, fold, "en") if one.move not in legal)
    refused = {step.text: step.label for move in tried for step in GAME.path(move, fold, "en")}
    assert not offered.keys() & refused.keys()
    ways = {name: {step: Link(f"?{name}={step}", label) for step, label in steps.items()}
            for name, steps in (("pick", offered), ("no", refused))}  # fmt: skip
    return fold, Scene(links=ways["pick"], refused=ways["no"], recent=(), **more)


def size_of(anchor: ElementTree.Element) -> tuple[float, float]:
    """The width and height of what can be touched: its first box, behind everything else in it."""
    frame = next(anchor.iter("rect"))
    return float(frame.attrib["width"]), float(frame.attrib["height"])


def questions_of_random_play() -> Iterator[tuple[Match, int]]:
    for seats in GAME.meta.seats:
        for memory in ("closed", "open"):
            for n in range(2):
                match = Match(GAME, seats, Table(target=5, memory=memory), seed_of(f"board, {memory}", seats, n))
                for _ in islice(random_decisions(match), 120):
                    for ask in GAME.pending(match.state):
                        yield match, ask.seat


SMALLEST_PHONE, THUMB = 654, 48
"""What of a portrait board is seen below the strip on 360 x 740 pixels, and how large a target has to be."""


@pytest.mark.long
def test_each_answer_can_be_touched_on_a_board_that_fits_a_small_phone() -> None:
    kinds = set[str]()
    for match, seat in questions_of_random_play():
        fold, scene = scene_of(match, seat)
        tree = parse(draw(fold, seat, "en", scene))
        assert float(tree.attrib["viewBox"].split()[3]) <= SMALLEST_PHONE
        touched = [anchor.attrib["href"] for anchor in tree.iter("a")]
        assert set(touched) == {link.href for link in (*scene.links.values(), *scene.refused.values())}
        assert all(min(size_of(anchor)) >= THUMB for anchor in tree.iter("a"))
        kinds.add(f"{fold.phase} {fold.seats} {fold.open}")
    # With two players a card that is named rightly goes to the other one at once.
    assert len(kinds) == 2 * (3 + 3 + 2)


@cases("holder", [BOB, CAROL, DAVE])
def test_a_board_with_a_hand_of_fifteen_open_cards_fits_the_smallest_phone(holder: int) -> None:
    played = Played(4, CARDS, memory="open")
    hands = tuple(tuple(CARDS[1:]) if seat == holder else () for seat in range(4))
    fold = replace(played.fold_of(ALICE), hands=hands, door=(None,), turn=16)
    tree = parse(draw(fold, ALICE, "en", Scene(links=links(*(f"announce-{card}" for card in CARDS)))))
    assert float(tree.attrib["viewBox"].split()[3]) <= SMALLEST_PHONE
    assert pieces(tree) == sorted(CARDS[1:])


COLUMN = {"1280 x 800": 340, "1366 x 768": 308}
"""How high the choices beside a landscape board may be, in pixels; there the pad is 308 pixels wide."""


@pytest.mark.long
@cases("room", COLUMN.values())
def test_no_choice_beside_a_wide_board_needs_scrolling(room: float) -> None:
    for match, seat in questions_of_random_play():
        fold, scene = scene_of(match, seat, shape="pad")
        svg = draw(fold, seat, "en", scene)
        outside = [link for link in scene.links.values() if f'href="{link.href}"' not in svg]
        high = float(parse(svg).attrib["viewBox"].split()[3]) * 308 / 340 if svg else 0
        assert high + 64 * -(-len(outside) // 3) <= room


def test_touching_a_card_that_may_not_be_announced_says_why() -> None:
    played = Played(3, "F1 F2")
    played.miss(ALICE, "T1")
    why = {"announce-T1": Link("?no=announce-T1", "T1 is not allowed")}
    for shape in ("portrait", "pad"):
        tree = parse(draw(played.fold_of(BOB), BOB, "en", Scene(links=links("announce-F1"), refused=why, shape=shape)))
        (quiet,) = (a for a in tree.iter("a") if a.attrib["aria-label"] == "T1 is not allowed")
        assert quiet.attrib["data-field"] == "T1"
        assert {rect.attrib["class"].split()[0] for rect in quiet.iter("rect")} == {"sk", "cu"}  # no frame of a choice


def test_touching_ones_own_hand_says_why_no_card_can_be_given_to_it() -> None:
    played = Played(4, "F1 F2")
    played.play(ALICE, "F1")
    why = {"give-A": Link("?no=give-A", "not to yourself")}
    for shape in ("portrait", "landscape", "low"):
        tree = parse(draw(played.fold_of(ALICE), ALICE, "en", Scene(links=links("give-B"), refused=why, shape=shape)))
        assert labels(tree).count("not to yourself") == 1


def test_a_player_is_touched_to_give_and_the_announcement_to_challenge() -> None:
    played = Played(4, "F1 F2")
    played.play(ALICE, "F1")
    tree = parse(draw(played.fold_of(ALICE), ALICE, "en", Scene(links=links("give-B", "give-C", "give-D"))))
    assert labels(tree) == ["give-B", "give-C", "give-D"]
    assert "that is right" in words(tree)
    played.play(ALICE, "give C")
    played.play(BOB, "T1")
    tree = parse(draw(played.fold_of(DAVE), DAVE, "en", Scene(links=links("challenge", "pass"))))
    assert labels(tree) == ["challenge", "challenge", "pass"]  # the announcement itself, and the two answers


def test_a_hostile_links_text_is_escaped_in_the_board() -> None:
    link = Link('?m="><script>&n={0}', '{1} "quoted" <b> & more')
    tree = parse(draw(Played(3, "F1").fold_of(ALICE), ALICE, "en", Scene(links={"announce-B4": link})))
    (anchor,) = tree.iter("a")
    assert (anchor.attrib["href"], anchor.attrib["aria-label"]) == (link.href, link.label)


@cases("step", ["announce-F4", "challenge", "give-B"])
def test_what_was_chosen_bears_a_seal_and_is_no_longer_a_link(step: str) -> None:
    played = Played(3, "F1 F2")
    if step != "announce-F4":
        played.play(ALICE, "T1" if step == "challenge" else "F1")
    seat = BOB if step == "challenge" else ALICE
    own = played.fold_of(seat)
    text = step.replace("-", " ")
    after = own
    for event in GAME.preview(own, seat, GAME.parse(text)):
        after = GAME.evolve(after, event)
    tree = parse(draw(after, seat, "en", Scene(links=links(*STEPS), chosen=(step,))))
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) >= 1
    assert step not in labels(tree)


def test_the_newest_events_are_numbered_but_not_the_beginning_of_a_turn() -> None:
    played = Played(4, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.play(ALICE, "give C")
    played.play(BOB, "T1")
    recent = tuple((40 + i, event) for i, event in enumerate(played.events))
    newest = {type(event).__name__: number for number, event in recent}
    shown = words(parse(draw(played.fold_of(DAVE), DAVE, "en", Scene(recent=recent))))
    assert {str(newest[name]) for name in ("Given", "Announced", "Missed")} <= set(shown)
    assert str(newest["TurnBegan"]) not in shown


def test_a_card_that_moved_again_loses_its_earlier_event_number() -> None:
    played = Played(2, "F1 F2")
    missed = played.play(ALICE, "T1")[-1]
    mistaken = played.play(BOB, "challenge")[1]
    tree = parse(draw(played.fold_of(BOB), BOB, "en", Scene(recent=((71, missed), (72, mistaken)))))
    assert (words(tree).count("71"), words(tree).count("72")) == (0, 1)


def test_the_board_says_whose_turn_it_is_and_who_has_won() -> None:
    played = Played(2, CARDS, target=1)
    assert "à vous d’annoncer" in words(parse(draw(played.fold_of(ALICE), ALICE, "fr", Scene())))
    assert "Alice to announce" in words(parse(draw(played.fold_of(BOB), BOB, "en", Scene())))
    played.play(ALICE, "F1")
    played.until(1)
    played.play(played.state.active, "T2")
    tree = parse(draw(played.fold_of(CHARLIE), None, "fr", Scene()))
    assert "Alice gagne" in words(tree)


@cases("lang, said", [("fr", "Alice, Bob gagnent"), ("en", "Alice, Bob win")])
def test_the_board_names_several_winners_in_the_plural(lang: Lang, said: str) -> None:
    over = replace(Played(4, CARDS).state, phase="over", winners=(ALICE, BOB))
    assert said in words(parse(draw(over, None, lang, Scene())))
    assert said in words(parse(draw(over, ALICE, lang, Scene())))


def test_before_the_first_turn_the_board_says_who_begins() -> None:
    played = Played(3, "F1 F2", first=BOB)
    began = played.after(played.events[:1])
    assert "La partie commence" in words(parse(draw(began, ALICE, "fr", Scene())))
    first = words(parse(draw(played.after(played.events[:2]), ALICE, "fr", Scene())))
    assert {"Manche 1", "Bob commence"} <= set(first)
    assert "you begin" in words(parse(draw(played.after(played.events[:2]), BOB, "en", Scene())))
    for shown in (words(parse(draw(began, ALICE, "fr", Scene()))), first):
        assert not any("annoncer" in line for line in shown)


def test_the_board_says_that_a_round_is_over_and_who_begins_the_next() -> None:
    played = Played(3, CARDS).until(1)
    happened = played.play(played.state.active, "T2", CARDS)
    (at,) = [i for i, event in enumerate(played.events) if isinstance(event, RoundEnded)]
    assert happened
    ended = words(parse(draw(played.after(played.events[: at + 1]), ALICE, "en", Scene())))
    assert "Round 1 is over" in ended
    assert not any("announce" in line and line != "Announced" for line in ended)
    state = played.after(played.events[: at + 2])
    assert state.first != state.active
    assert "Bob begins" in words(parse(draw(state, ALICE, "en", Scene())))


def test_the_board_shows_who_has_answered_and_who_is_awaited() -> None:
    played = Played(4, "F1 F2")
    played.play(ALICE, "T1")
    played.play(CAROL, "pass")
    svg = draw(played.fold_of(ALICE), ALICE, "fr", Scene())
    assert svg.count('href="#wait"') == 2
    assert "les autres répondent" in words(parse(svg))
    assert "vous laissez passer (scellé)" in words(parse(draw(played.fold_of(CAROL), CAROL, "fr", Scene())))


def test_without_open_memory_only_the_top_of_the_palace_is_shown() -> None:
    for memory, shown in (("closed", ["F2"]), ("open", ["F1", "F2"])):
        played = Played(3, "F1 F2 F3", memory=memory)
        played.miss(ALICE, "T1")
        played.miss(BOB, "T2")
        assert pieces(parse(draw(played.fold_of(CAROL), CAROL, "en", Scene()))) == shown
        assert "2 cards" in words(parse(draw(played.fold_of(CAROL), CAROL, "en", Scene())))


def test_each_token_on_the_board_is_labelled_with_its_seat_and_number() -> None:
    state = replace(Played(3, CARDS).state, tokens=(2, 0, 1))
    tokens = [
        e.attrib["data-token"] for e in parse(draw(state, ALICE, "en", Scene())).iter() if "data-token" in e.attrib
    ]
    assert sorted(tokens) == ["token-0-0", "token-0-1", "token-2-0"]


def test_a_replay_step_of_closed_memory_shows_backs_and_no_announcement() -> None:
    played = Played(3, "F1")
    played.play(ALICE, "T1")
    state = played.after([redact(event, None, fresh=False) for event in played.events])
    tree = parse(draw(state, None, "en", Scene()))
    assert pieces(tree) == []
    assert "by Alice" in words(tree)


def test_the_board_seats_the_others_clockwise_from_the_viewers_left() -> None:
    svg = draw(Played(4, CARDS).fold_of(CAROL), CAROL, "en", Scene())
    assert re.findall(r'font-size="15">\{(\d):', svg)[:3] == ["3", "0", "1"]


def test_a_long_name_is_shortened_on_the_board() -> None:
    names = ["Alice", "Maximiliane-Charlotte", "Carol", "Dave"]
    shown = pictures.svg_with_names(draw(Played(4, CARDS).fold_of(ALICE), ALICE, "en", Scene()), names)
    assert "Maxim" in shown
    assert "Maximiliane" not in shown


def test_the_png_of_a_board_changes_with_the_position() -> None:
    played = Played(4, "F1 F2")
    before = played.fold_of(CHARLIE)
    played.play(ALICE, "T1")
    drawn = {
        pictures.board_png(GAME, draw(s, None, "fr", Scene()), NAMES, 300) for s in (before, played.fold_of(CHARLIE))
    }
    assert len(drawn) == 2
    assert all(data.startswith(b"\x89PNG") for data in drawn)


@cases("seats", [2, 3, 4])
@cases("memory", ["closed", "open"])
def test_many_tokens_after_repeated_ties_cover_no_other_element(seats: int, memory: str) -> None:
    played = Played(seats, CARDS, target=5, memory=memory, ties="round").until(12)
    hands = (CARDS[4:8], CARDS[8:10], (), ())[:seats]
    tied = replace(played.state, target=10, tokens=(9, 9, 4, 0)[:seats], hands=hands)
    for viewer in (ALICE, CHARLIE):
        state = tied if memory == "open" else replace(tied, hands=(hands[0], *((None,) * len(h) for h in hands[1:])))
        for shape in GAME.meta.shapes:
            svg = draw(state, viewer, "fr", Scene(shape=shape))
            if svg:
                layout = layout_of_document(pictures.board_document(GAME, svg, ["Maximilian-Wilhelm"] * seats))
                assert list(find_unreadable_or_untouchable(layout, None)) == [], shape


@cases("cards", [4, 5, 6, 7])
def test_an_event_number_covers_no_letter_of_an_open_hand(cards: int) -> None:
    state = replace(Played(2, CARDS, memory="open").state, hands=((), CARDS[:cards]))
    for shape, chosen in product(GAME.meta.shapes, ((), ("give-B",))):
        scene = Scene(shape=shape, recent=((628, Given(ALICE, BOB, True, CARDS[cards - 1])),), chosen=chosen)
        for viewer in (ALICE, CHARLIE):
            svg = draw(state, viewer, "fr", scene)
            if svg:
                layout = layout_of_document(pictures.board_document(GAME, svg, NAMES))
                assert list(find_unreadable_or_untouchable(layout, None)) == [], shape
