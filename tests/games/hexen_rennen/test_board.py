"""The drawn board: races of two, three and four, from every seat and for a spectator."""

import hashlib
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.board.course import layout_of_course
from pbem.games.hexen_rennen.board.tiles import draw_witches_in_box
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.board.whole import draw
from pbem.games.hexen_rennen.facts import DIVISIONS, Flew, Fly, HexenOptions, Play, Turned
from pbem.games.hexen_rennen.facts_race import CARDS, COURSE, GOAL, State
from pbem.kit.contract import Event, Link, Scene, Shape, Viewer
from pbem.kit.drawing.grid import Box
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import By, evolve_all
from pbem.kit.secrecy import redact
from pbem.render import pictures
from tests.games.hexen_rennen.tables import ALICE, BOB, Turn, race
from tests.harness.cases import cases

NAMES = ["Alice", "Bob", "Carol", "Dave"]


def positions() -> Iterator[tuple[State, Viewer, tuple[Event, ...]]]:
    for seats in (2, 3, 4):
        seed = hashlib.sha256(f"board {seats}".encode()).digest()
        table = Table(GAME, seats, HexenOptions(), seed)
        for at, _ in enumerate(random_decisions(table)):
            if at in (0, 1, seats, seats + 3, 30, 60):
                yield from views_of(table)
        yield from views_of(table)


def views_of(table: Table) -> Iterator[tuple[State, Viewer, tuple[Event, ...]]]:
    for viewer in table.viewers:
        yield table.folds[viewer], viewer, tuple(redact(e.event, viewer) for e in table.entries[-6:])
    yield table.state, None, tuple(e.event for e in table.entries[-6:])


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.svg_with_names(svg, NAMES))


def labels(tree: ElementTree.Element) -> list[str]:
    return [a.attrib["aria-label"] for a in tree.iter("a")]


def words(tree: ElementTree.Element) -> list[str]:
    return ["".join(t.itertext()) for t in tree.iter("text")]


@pytest.mark.long
def test_a_board_shows_exactly_the_tiles_face_up_and_the_witches() -> None:
    for state, viewer, _ in positions():
        tree = parse(draw(state, viewer, "en", Scene()))
        pieces = [e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib]
        if state.turn:
            assert sorted(pieces) == sorted(t for t in state.shown if t)
        tokens = [e.attrib["data-token"] for e in tree.iter() if "data-token" in e.attrib]
        witches = [token for token in tokens if token != "die"]
        there = range(state.seats) if state.shown else ()
        assert sorted(witches) == sorted(f"witch-{'ABCD'[s]}" for s in there for _ in range(3))
        backs = sum(use.attrib["href"] == "#hx-back" for use in tree.iter("use"))
        assert backs == len(state.shown) - sum(tile is not None for tile in state.shown)


@pytest.mark.long
def test_only_the_full_state_shows_tiles_face_down() -> None:
    for state, viewer, _ in positions():
        under = re.findall(r'data-under="(\w+)"', draw(state, viewer, "en", Scene()))
        known = bool(state.tiles) and state.tiles[0] is not None
        down = [t for t, up in zip(state.tiles, state.shown, strict=True) if not up]
        assert under == (down if known else [])


@cases(
    "shape, size",
    [("portrait", (366, 436)), ("landscape", (816, 612)), ("landscape", (816, 768)), ("low", (536, 322))],
)
def test_no_element_of_the_course_overlaps_or_leaves_its_box(shape: Shape, size: tuple[int, int]) -> None:
    at = Box(8, 9, *size)
    where = layout_of_course(View(fly(), ALICE, "en", Scene(shape=shape)), at)
    boxes = [where.box_of_place(place) for place in range(GOAL + 1)]
    for i, one in enumerate(boxes):
        assert all(
            one.x > other.right or other.x > one.right or one.y > other.bottom or other.y > one.bottom
            for other in boxes[:i]
        )
        assert at.x - 0.1 <= one.x < one.right <= at.right + 0.1
        assert at.y - 0.1 <= one.y < one.bottom <= at.bottom + 0.1


def test_a_square_with_many_witches_shows_how_many_each_clan_has() -> None:
    few, many = ({0: 3, 1: 1}, {0: 3, 1: 2, 2: 3, 3: 1})
    room = Box(0, 0, 118, 28)
    alone, together = (parse(f"<svg>{draw_witches_in_box(counts, room, 13.5)}</svg>") for counts in (few, many))
    assert words(alone) == ["A", "A", "A", "B"]
    assert words(together) == ["A", "×3", "B", "×2", "C", "×3", "D"]


def fly() -> State:
    return Turn(race(witches={"A": (0, 10, 20), "B": (0, 0, 30)}), 2).state


def test_a_board_with_links_has_the_role_group_and_without_links_img() -> None:
    link = Scene(links={"fly-10": Link("?m=fly-10", "Fly")})
    assert parse(draw(fly(), ALICE, "en", Scene())).attrib["role"] == "img"
    assert parse(draw(fly(), ALICE, "en", link)).attrib["role"] == "group"


def test_the_witch_to_fly_is_chosen_by_touching_her() -> None:
    links = {f"fly-{place}": Link(f"?{place}", f"fly {place}") for place in (0, 10, 20)}
    tree = parse(draw(fly(), ALICE, "en", Scene(links=links)))
    assert sorted(labels(tree)) == sorted([*("fly 0", "fly 10", "fly 20") * 2]), "the witch, or where she would come"


def test_a_square_reached_by_two_witches_is_no_link_but_the_witches_are() -> None:
    state = Turn(race(witches={"A": (0, 2, 20), "B": (1, 0, 0)}), 2).state
    links = {f"fly-{place}": Link(f"?{place}", f"fly {place}") for place in (0, 2, 20)}
    tree = parse(draw(state, ALICE, "en", Scene(links=links)))
    assert sorted(labels(tree)) == ["fly 0", "fly 2", "fly 20", "fly 20"]


def test_cards_their_targets_and_the_witch_to_leave_can_be_touched() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "BS"}, up=[16], hands={"B": "3 4 S S"})
    state = Turn(before, 2).state
    links = {step: Link(f"?{step}", step) for step in ("card-3", "card-4", "card-S", "leave")}
    tree = parse(draw(state, BOB, "en", Scene(links=links)))
    assert sorted(labels(tree)) == sorted((*("card-3", "leave") * 2, "card-4", "card-S")), "two cards lead to 16"
    assert "On your symbol: you choose" in words(tree)


def test_a_division_is_touched_number_by_number_and_shows_its_stages() -> None:
    table = Table(GAME, 2, HexenOptions(), bytes(32))
    links = {f"{stage}-{n}": Link(f"?{stage}{n}", f"{n} to {stage}") for stage in (1, 2, 3) for n in range(2, 11)}
    del links["1-2"], links["3-7"]
    tree = parse(draw(table.folds[ALICE], ALICE, "fr", Scene(links=links, chosen=("3-7", "1-2"))))
    assert sorted(labels(tree)) == sorted(link.label for link in links.values()), "every other place of every number"
    assert [w for w in words(tree) if w.startswith("Étape")] == ["Étape 1", "Étape 2", "Étape 3"]
    whole = evolve_all(GAME, table.folds[ALICE], GAME.preview(table.folds[ALICE], ALICE, DIVISIONS[7]))
    tree = parse(draw(whole, ALICE, "fr", Scene()))
    pieces = sorted(e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib)
    assert pieces == sorted([*(f"A{n}" for n in range(2, 11)), "AS", "AS", "AS"])


def test_a_card_that_cannot_be_played_leads_to_the_reason() -> None:
    before = race(witches={"A": (18, 50, 51), "C": (16, 0, 0)}, tiles={20: "BS"}, hands={"B": "3 4 S"})
    state = Turn(before, 2).state
    links = {"card-3": Link("?3", "3 · to 17"), "leave": Link("?leave", "Leave her there")}
    refused = {"card-4": Link("?no=4", "4"), "card-S": Link("?no=S", "S")}
    for shape in ("portrait", "landscape", "low"):
        tree = parse(draw(state, BOB, "en", Scene(links=links, refused=refused, shape=shape)))
        led = [(a.attrib["href"], a[0].attrib["class"]) for a in tree.iter("a")]
        assert [one for one in led if "no=" in one[0]] == [("?no=4", "ng"), ("?no=S", "ng")], "not framed"
        assert ("?3", "tg") in led


def test_a_witch_that_cannot_move_leads_to_the_reason() -> None:
    for witches, occupied, still in (((10, 20, 30), 12, 10), ((20, 30, 51), 1, 51)):
        state = Turn(race(witches={"A": witches, "B": (occupied, 0, 0)}), 2).state
        links = {f"fly-{place}": Link(f"?{place}", str(place)) for place in (20, 30)}
        refused = {f"fly-{still}": Link(f"?no={still}", str(still))}
        tree = parse(draw(state, ALICE, "en", Scene(links=links, refused=refused)))
        led = sorted((a.attrib["href"], a[0].attrib["class"]) for a in tree.iter("a"))
        assert led == [("?20", "ng"), ("?20", "tg"), ("?30", "ng"), ("?30", "tg"), (f"?no={still}", "ng")]
        assert draw(state, ALICE, "en", Scene(refused=refused)).count('class="tg"') == 0, "not framed"


def test_touching_none_tells_an_obliged_player_why_they_must_play() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "BS"}, up=[16], hands={"B": "3 4 5 S"})
    turn = Turn(before, 2)
    turn.play("play 4")
    assert "none" not in words(parse(draw(turn.state, BOB, "en", Scene())))
    tree = parse(draw(turn.state, BOB, "en", Scene(refused={"leave": Link("?no=leave", "Leave her there")})))
    assert [a.attrib["href"] for a in tree.iter("a")] == ["?no=leave"] * 2, "the field, and the witch"
    assert "none" in words(tree)


def test_the_last_choice_of_a_division_leaves_the_others_touchable() -> None:
    own = Table(GAME, 2, HexenOptions(), bytes(32)).folds[ALICE]
    chosen = ("1-2", "1-3", "1-4", "2-5", "2-6", "2-7", "3-8", "3-9", "3-10")
    links = {f"2-{n}": Link(f"?{n}", f"two {n}") for n in (8, 9, 10)}
    tree = parse(draw(own, ALICE, "en", Scene(links=links, chosen=chosen)))
    assert labels(tree) == ["two 8", "two 9", "two 10"]
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 9


def test_the_board_marks_each_seat_that_is_still_dividing() -> None:
    table = Table(GAME, 3, HexenOptions(), bytes(32))
    (ask, *_) = GAME.pending(table.state)
    table.play(ask, DIVISIONS[0], By(seat=ask.seat))
    shown = words(parse(draw(table.folds[None], None, "en", Scene())))
    assert [w for w in shown if "divid" in w] == ["has divided", "still dividing", "still dividing"]


@pytest.mark.long
def test_the_position_of_every_tile_can_be_read_also_under_a_witch() -> None:
    for state, viewer, _ in positions():
        shown = words(parse(draw(state, viewer, "en", Scene())))
        wanted = range(1, COURSE + 1) if state.shown else ()
        assert all(str(place) in shown for place in wanted)
    state = race(witches={"A": (30, 31, 32), "B": (33, 0, 0)}, up=[30, 31, 32, 33])
    shown = words(parse(draw(state, None, "en", Scene())))
    assert [shown.count(str(place)) for place in (30, 31, 32, 33)] == [1, 1, 1, 1]


def test_the_board_lists_each_clans_points_and_remaining_cards() -> None:
    before = race(3, witches={"A": (1, 49, 51), "B": (2, 3, 50)}, hands={"A": "3 10 S", "B": "", "C": "S"}, pile="7 S")
    drawn = tuple(card for card in ("2", "3", "4", "5", "6", "8", "9", "10", "S", "S"))
    state = replace(before, discards=(*before.discards[:3], drawn))
    tree = parse(draw(state, BOB, "en", Scene()))
    chips = [w for w in words(tree) if w in CARDS]
    signs = [use.attrib["href"] for use in tree.iter("use") if use.attrib["href"] in ("#hx-a", "#hx-c")]
    assert sorted(set(words(tree)) & {"6", "3", "0"}) == ["0", "3", "6"], "the points so far"
    assert [chips.count(card) for card in ("S", "7", "10")] == [1, 2, 2], "also a tile of the course, beside them"
    assert [signs.count(sign) for sign in ("#hx-a", "#hx-c")] == [3, 3], "the clan's marks, and its last symbol"
    assert "neutral" in words(tree)


def test_a_chosen_card_bears_a_seal_and_the_other_answers_stay_touchable() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "C3"}, up=[16], hands={"B": "3 4 S"})
    turn = Turn(before, 2)
    after = evolve_all(GAME, turn.state, GAME.preview(turn.state, BOB, Play("4")))
    links = {step: Link(f"?{step}", step) for step in ("card-3", "card-4", "leave")}
    recent = tuple(enumerate(turn.events, 1))
    svg = draw(after, BOB, "en", Scene(links=links, chosen=("card-4",), recent=recent))
    tree = parse(svg)
    assert labels(tree) == ["card-3", "leave"]
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 2, "the card, and the witch"
    assert svg.count("stroke-dasharray") == 1


def test_the_board_tells_an_obliged_player_to_play_a_card() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "BS"}, up=[16], hands={"B": "3 4 5 S"})
    turn = Turn(before, 2)
    turn.play("play 4")
    assert "On your symbol: you must play a card" in words(parse(draw(turn.state, BOB, "en", Scene())))
    assert "Bob doit jouer une carte" in words(parse(draw(turn.state, ALICE, "fr", Scene())))


def test_own_numbers_are_drawn_hollow_once_turned_up() -> None:
    table = Table(GAME, 2, HexenOptions(), bytes(32))
    decisions = random_decisions(table)
    while not table.folds[ALICE].turn:
        next(decisions)
    fresh = replace(table.folds[ALICE], shown=(None,) * COURSE)
    turned = replace(fresh, shown=("A2", *fresh.shown[1:]))
    pale = [draw(fold, ALICE, "en", Scene()).count('<rect class="pa"') for fold in (fresh, turned)]
    assert pale[0] == pale[1] + 1
    assert parse(draw(turned, ALICE, "en", Scene())).find(".//*[@data-piece='A2']") is not None


def test_a_hostile_links_text_is_escaped_in_the_board() -> None:
    link = Link('?m="><script>&n={0}', '{1} "quoted" <b> & more ?')
    tree = parse(draw(fly(), ALICE, "fr", Scene(links={"fly-10": link})))
    for anchor in tree.iter("a"):
        assert (anchor.attrib["href"], anchor.attrib["aria-label"]) == (link.href, link.label)
    assert len(labels(tree)) == 2, "the witch, and where she would come"


def test_the_chosen_witch_bears_a_seal_at_her_new_square() -> None:
    state = fly()
    after = evolve_all(GAME, state, GAME.preview(state, ALICE, Fly(10)))
    links = {f"fly-{place}": Link("?", str(place)) for place in (0, 10, 20)}
    tree = parse(draw(after, ALICE, "en", Scene(links=links, chosen=("fly-10",))))
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 1
    assert sorted(labels(tree)) == ["0", "20"]
    assert "Your witch flies" in words(tree)
    assert "stroke-dasharray" in draw(after, ALICE, "en", Scene(chosen=("fly-10",)))


def test_the_number_of_a_flight_vanishes_once_the_witch_has_moved_on() -> None:
    turn = Turn(race(witches={"A": (10, 50, 51)}, tiles={12: "A5", 17: "C3"}), 2)
    recent = tuple(enumerate(turn.events, 71))
    shown = words(parse(draw(turn.state, ALICE, "en", Scene(recent=recent))))
    assert isinstance(recent[1][1], Flew)
    assert isinstance(recent[4][1], Turned)
    assert shown.count("75") == 1
    assert shown.count("72") == 0, "the witch has taken her number with her"


def test_the_board_says_who_won() -> None:
    alone = Turn(race(witches={"A": (48, 50, 51)}), 1).state
    assert "Alice wins" in words(parse(draw(alone, BOB, "en", Scene())))
    assert "Vous gagnez" in words(parse(draw(alone, ALICE, "fr", Scene())))
    both = Turn(race(witches={"A": (48, 49, 49), "B": (0, 50, 50)}), 1).state
    assert "Victoire partagée" in words(parse(draw(both, None, "fr", Scene())))


@pytest.mark.long
def test_the_png_of_a_board_changes_with_the_position() -> None:
    drawn = {
        pictures.board_png(GAME, draw(state, None, "fr", Scene()), NAMES, 300) for state in (fly(), race(witches={}))
    }
    assert len(drawn) == 2
    assert all(data.startswith(b"\x89PNG") for data in drawn)
