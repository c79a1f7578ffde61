"""The drawn board: positions of random matches, from every seat and for a spectator."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.board.sheet import score_sheet_height
from pbem.games.hagakure.board.view import View
from pbem.games.hagakure.board.whole import draw
from pbem.games.hagakure.facts import Dealt, Keep, Look, Play, Raise
from pbem.games.hagakure.facts_cards import card_in_notation
from pbem.games.hagakure.facts_state import State, Terms
from pbem.kit.contract import Event, Link, Scene, Shape, Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from pbem.kit.words import signed
from pbem.render import pictures
from tests.games.hagakure.tables import ALICE, BOB, CAROL, DAVE, FOUR, THREE, F, Played, luck
from tests.games.stage import targets
from tests.harness.cases import cases

NAMES = ["Alice", "Bob", "Carol", "Dave", "Erin"]
Position = tuple[State, Viewer, tuple[Event, ...]]


def positions() -> Iterator[Position]:
    """Every third position of some matches, for every viewer and with everything known."""
    for seats in (3, 4, 5):
        table = Table(GAME, seats, Terms(rounds=2, extra_rounds=0), bytes([seats]) * 32)
        for at, _ in enumerate(random_decisions(table)):
            if at % 3 == 0:
                yield from views_of(table)
        yield from views_of(table)


def views_of(table: Table) -> Iterator[Position]:
    """This position for every viewer and with everything known."""
    yield table.state, None, tuple(entry.event for entry in table.entries)
    for viewer in table.viewers:
        yield table.folds[viewer], viewer, tuple(redact(entry.event, viewer) for entry in table.entries)


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.svg_with_names(svg, NAMES))


def pieces(tree: ElementTree.Element) -> list[str]:
    return sorted(e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib)


def labels(tree: ElementTree.Element) -> list[str]:
    return [a.attrib["aria-label"] for a in tree.iter("a")]


def words(tree: ElementTree.Element) -> list[str]:
    return ["".join(t.itertext()) for t in tree.iter("text")]


def cards_shown(state: State) -> list[str]:
    """The cards that lie on the table and are known."""
    middle = () if state.phase == "nobori" else state.trick or state.previous
    return sorted(
        card_in_notation(card) for pile in (*state.hands, state.yomi, middle) for card in pile if card is not None
    )


@pytest.mark.long
def test_a_board_shows_exactly_the_cards_that_the_viewers_fold_knows() -> None:
    for state, viewer, _ in positions():
        tree = parse(draw(state, viewer, "en", Scene()))
        assert pieces(tree) == cards_shown(state)
        backs = sum(use.attrib["href"] == "#back" for use in tree.iter("use"))
        hidden = [len(pile) for pile in (*state.hands, state.yomi) if None in pile]
        assert backs == len(hidden), "one back for each pile, with the number of its cards"
        assert not [count for count in hidden if str(count) not in words(tree)]


@pytest.mark.long
def test_the_board_shows_every_seats_nobori_and_points() -> None:
    for state, viewer, _ in positions():
        tree = parse(draw(state, viewer, "en", Scene()))
        banners = [use.attrib["href"] for use in tree.iter("use") if use.attrib.get("class") == "c1"]
        left = [f"#nobori-{nobori}" for seat in state.nobori for nobori in seat]
        assert sorted(b for b in banners if b.startswith("#nobori") and b != "#nobori-used") == sorted(left)
        tokens = [e.attrib["data-token"] for e in tree.iter() if "data-token" in e.attrib]
        assert len(tokens) == len(set(tokens)), "a Nobori slides from one place to one other"
        assert all(words(tree).count(str(total)) >= 1 for total in state.totals if total >= 0)


def test_a_seats_board_does_not_depend_on_hidden_cards() -> None:
    mine, *others = FOUR
    deals = [Dealt(1, 8, 18, 3, (mine, *hands), (16, 17, 21, F)) for hands in (others, others[::-1])]
    assert len({draw(GAME.evolve(None, redact(deal, ALICE)), ALICE, "fr", Scene()) for deal in deals}) == 1


def test_a_board_with_links_has_the_role_group_and_without_links_img() -> None:
    own = Played(*FOUR, dealer=DAVE).no_nobori().fold_of(ALICE)
    assert parse(draw(own, ALICE, "en", Scene())).attrib["role"] == "img"
    link = Scene(links={"play-S20": Link("?", "Play S20")})
    assert parse(draw(own, ALICE, "en", link)).attrib["role"] == "group"


def test_only_own_cards_can_be_touched_and_forbidden_ones_are_marked() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("20")
    links = {f"play-{card}": Link(f"?{card}", card) for card in ("S19", "F", "V11", "S22")}
    tree = parse(draw(played.fold_of(BOB), BOB, "en", Scene(links=links)))
    assert labels(tree) == ["F", "S19"]
    assert words(tree).count("not allowed") == 1, "said once of two neighbours"


def test_a_card_that_a_lesson_does_not_ask_for_is_not_called_forbidden() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    lead = Scene(links={"play-S20": Link("?", "S20")})
    assert "not allowed" not in words(parse(draw(played.fold_of(ALICE), ALICE, "en", lead)))


def test_a_nobori_is_touched_first_and_then_the_hand_to_look_at() -> None:
    own = Played(*FOUR, dealer=DAVE).fold_of(ALICE)
    first = {step: Link(f"?{step}", step) for step in ("none", "double", "zero", "villagers", "swap", "look")}
    assert labels(parse(draw(own, ALICE, "fr", Scene(links=first)))) == [*first]
    second = {step: Link(f"?{step}", step) for step in ("look-yomi", "look-B", "look-C", "look-D")}
    tree = parse(draw(own, ALICE, "fr", Scene(links=second, chosen=("look",))))
    assert labels(tree) == ["look-B", "look-C", "look-D", "look-yomi"]


def test_a_hostile_links_text_is_escaped_in_the_board() -> None:
    own = Played(*FOUR, dealer=DAVE).no_nobori().fold_of(ALICE)
    link = Link('?m="><script>&n={0}', '{1} "quoted" <b> & more')
    (anchor,) = parse(draw(own, ALICE, "en", Scene(links={"play-S20": link}))).iter("a")
    assert (anchor.attrib["href"], anchor.attrib["aria-label"]) == (link.href, link.label)


def test_the_chosen_card_moves_to_the_trick_and_leaves_a_gap_in_the_hand() -> None:
    own = Played(*FOUR, dealer=DAVE).no_nobori().fold_of(ALICE)
    links = {f"play-{card}": Link("?", card) for card in ("V6", "V7", "V8", "S20")}
    after = GAME.evolve(own, GAME.preview(own, ALICE, Play(7))[0])
    tree = parse(draw(after, ALICE, "en", Scene(links=links, chosen=("play-V7",))))
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 1
    assert labels(tree) == ["V6", "V8", "S20"]
    assert {"V7", "played"} <= set(words(tree))


def test_a_chosen_fool_leaves_a_gap_in_the_hand_too() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("20")
    own = played.fold_of(BOB)
    after = GAME.evolve(own, GAME.preview(own, BOB, Play(F))[0])
    assert "F" in words(parse(draw(after, BOB, "en", Scene(chosen=("play-F",)))))


def test_event_numbers_on_nobori_vanish_once_cards_are_played() -> None:
    played = Played(*FOUR, dealer=DAVE)

    def number_events() -> list[int]:
        recent = Scene(recent=tuple(enumerate(played.events, 41)))
        seen_words = words(parse(draw(played.fold_of(CAROL), CAROL, "en", recent)))
        return [seen_words.count(str(number)) for number in (42, 46, 47)]

    played.play("double", "none")
    assert number_events() == [1, 0, 0]
    played.play("none", "none", "20", "19")
    assert number_events() == [0, 1, 1], "a small Nobori would be hidden by its number"


def test_a_complete_trick_stays_until_the_next_is_led() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("6", "9", "11", "18")
    tree = parse(draw(played.fold_of(ALICE), ALICE, "en", Scene()))
    assert "Trick 1 of 4, to Dave" in words(tree)
    assert "Dave leads" in words(tree)
    assert "wins" in words(tree)
    played.play("15")
    assert "Trick 2 of 4" in words(parse(draw(played.fold_of(ALICE), ALICE, "en", Scene())))


def test_the_board_says_round_turn_and_that_samurai_are_asked_for() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("20")
    shown = words(parse(draw(played.fold_of(CAROL), CAROL, "en", Scene())))
    assert {"Round 1 of 8", "Bob to play", "samurai asked for"} <= set(shown)
    assert "à vous de jouer" in words(parse(draw(played.fold_of(BOB), BOB, "fr", Scene())))


def test_the_board_marks_the_card_that_is_winning_the_running_trick() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("6", "9")
    shown = words(parse(draw(played.fold_of(CAROL), CAROL, "fr", Scene())))
    assert shown.count("en tête") == 1
    assert shown.index("en tête") > shown.index("9"), "Bob’s 9, not Alice’s 6"


def test_the_board_counts_tricks_villagers_and_the_18_of_each_seat() -> None:
    played = Played(*FOUR, dealer=DAVE)
    played.play("none", "none", "none", "villagers", "6", "9", "11", "18")
    own = words(parse(draw(played.fold_of(ALICE), ALICE, "en", Scene(shape="landscape"))))
    assert {"1 trick", "3/4", "18"} <= set(own)
    assert own.count("0 tricks") == 3
    assert own.count("18") == 2, "on the card that has won the trick and in Dave’s tally"
    narrow = words(parse(draw(played.fold_of(ALICE), ALICE, "en", Scene())))
    assert narrow[narrow.index("3/4") - 1] == "1", "on a pile, where there is no room for the word"


def test_while_nobori_are_chosen_the_board_shows_points_but_no_tricks() -> None:
    shown = words(parse(draw(Played(*FOUR, dealer=DAVE).fold_of(ALICE), ALICE, "fr", Scene())))
    assert shown.count("0 point") == 1, "with one’s own hand"
    assert shown.count("0") == 7, "in the panels of three seats, and in the sheet"
    assert not [w for w in shown if "pli" in w]


def test_the_board_marks_a_seat_known_to_hold_no_samurai() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    played.play("20", "19", "11")
    assert played.fold_of(ALICE).bare == (False, False, True, False)
    before = Played(*FOUR, dealer=DAVE).no_nobori()
    before.play("20", "19")
    signs = [draw(p.fold_of(ALICE), ALICE, "en", Scene()).count('class="li" d="M') for p in (before, played)]
    assert signs == [0, 1]


def test_the_score_sheet_has_every_round_and_a_long_match_the_last_nine() -> None:
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=1)).no_nobori()
    played.play("6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9")
    played.play("14", chance=luck())
    over = played.fold_of(ALICE)
    assert over.sheet
    row = [signed(points) for points in over.sheet[0]]
    assert not [cell for cell in row if cell not in words(parse(draw(over, ALICE, "en", Scene())))]
    sheet = tuple((n, n, n) for n in range(12))
    long = replace(over, rounds=20, number=13, sheet=sheet, phase="nobori")
    heads = words(parse(draw(long, None, "en", Scene())))
    first = heads.index("total") + 1
    assert heads[first : first + 9] == [str(n) for n in range(6, 15)]


def test_every_board_shape_but_the_low_one_shows_points_by_round() -> None:
    fold = Played(*FOUR, dealer=DAVE).fold_of(ALICE)
    boards = {shape: words(parse(draw(fold, ALICE, "en", Scene(shape=shape)))) for shape in ("portrait", "landscape")}
    assert all("Points" in shown for shown in boards.values())
    assert "Points" not in words(parse(draw(fold, ALICE, "en", Scene(shape="low"))))
    assert draw(fold, ALICE, "en", Scene(shape="pad")) == "", "whatever can be touched is a piece"


@pytest.mark.long
def test_every_seat_badge_lies_inside_one_panel() -> None:
    shapes: tuple[Shape, ...] = ("portrait", "landscape", "low")
    for state, viewer, _ in positions():
        for shape in shapes:
            tree = parse(draw(state, viewer, "fr", Scene(shape=shape)))
            panels = [
                edges_of(rect) for rect in tree.iter("rect") if (rect.get("class"), rect.get("rx")) == ("pa", "8")
            ]
            marks = [edges_of(use) for use in tree.iter("use") if use.attrib["href"].startswith("#seat-")]
            assert panels
            for left, top, right, bottom in marks:
                # A shape fills its box but for a tenth.
                edge = (right - left) / 10
                inside = [p[0] < left + edge and right - edge < p[2] and p[1] < top and bottom < p[3] for p in panels]
                assert inside.count(True) == 1, f"a mark at {left}, {top} in {shape}"


def edges_of(element: ElementTree.Element) -> tuple[float, float, float, float]:
    """The left, top, right and bottom edge of a box or a symbol."""
    x, y, width, height = (float(element.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def test_the_choice_of_no_nobori_bears_a_seal_and_others_stay_touchable() -> None:
    own = Played(*FOUR, dealer=DAVE).fold_of(ALICE)
    links = {step: Link(f"?{step}", step) for step in ("none", "double")}
    after = GAME.evolve(own, GAME.preview(own, ALICE, Keep())[0])
    tree = parse(draw(after, ALICE, "en", Scene(links=links, chosen=("none",))))
    assert labels(tree) == ["double"]
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 1


def test_the_hand_chosen_to_look_at_is_sealed_and_others_stay_touchable() -> None:
    own = Played(*FOUR, dealer=DAVE).fold_of(ALICE)
    links = {step: Link(f"?{step}", step) for step in ("look-yomi", "look-B", "look-C", "look-D")}
    after = GAME.evolve(own, GAME.preview(own, ALICE, Look(BOB))[0])
    tree = parse(draw(after, ALICE, "en", Scene(links=links, chosen=("look", "look-B"))))
    assert labels(tree) == ["look-C", "look-D", "look-yomi"]
    assert sum(use.attrib["href"] == "#seal" for use in tree.iter("use")) == 2, "the hand, and the Nobori in its place"


def test_the_board_says_who_won() -> None:
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=1)).no_nobori()
    played.play("6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9")
    played.play("14", chance=luck())
    assert "Carol gagne" in words(parse(draw(played.fold_of(ALICE), ALICE, "fr", Scene())))
    assert "you win" in words(parse(draw(played.fold_of(CAROL), CAROL, "en", Scene())))


def test_the_board_seats_the_others_clockwise_from_the_viewers_left() -> None:
    svg = draw(Played(*FOUR, dealer=DAVE).fold_of(CAROL), CAROL, "en", Scene())
    assert re.findall(r'class="in b"[^>]*>\{(\d):\d+\}', svg)[:3] == ["3", "0", "1"]


def test_a_long_name_is_shortened_on_the_board() -> None:
    names = ["Alice", "Maximiliane-Charlotte", "Carol", "Dave"]
    shown_names = pictures.svg_with_names(draw(Played(*FOUR, dealer=DAVE).fold_of(ALICE), ALICE, "en", Scene()), names)
    assert "Maxi…" in shown_names
    assert "Maximiliane-Charlotte" not in shown_names


@pytest.mark.long
def test_the_png_of_a_board_changes_with_the_position() -> None:
    played = Played(*FOUR, dealer=DAVE).no_nobori()
    before = pictures.board_png(GAME, draw(played.fold_of(ALICE), ALICE, "fr", Scene()), NAMES, 300)
    played.play("20")
    after = pictures.board_png(GAME, draw(played.fold_of(ALICE), ALICE, "fr", Scene()), NAMES, 300)
    assert before != after
    assert before.startswith(b"\x89PNG")


# --- on the screens of phones and desktops -----------------------------------------------------------------------


@pytest.mark.long
def test_each_answer_can_be_touched_on_a_board_that_fits_a_small_phone() -> None:
    kinds = set[tuple[str, int]]()
    for asked in targets.steps_on_the_way(GAME, 7):
        seats, scene = asked.fold.seats, asked.scene
        svg = draw(asked.fold, asked.seat, "fr", scene)
        found = targets.links_of_drawing(svg, seats)
        chosen = {f"?{step}" for step in scene.chosen}
        answers = {link.href for link in (*scene.links.values(), *scene.refused.values())}
        assert {one.href for one in found} - chosen == answers - chosen
        assert max(one.bottom for one in found) <= targets.SMALLEST_PHONE
        assert min(one.least for one in found) >= targets.THUMB
        assert targets.least_letters(svg, seats) >= targets.LEAST_TEXT
        stops = targets.tab_stops(svg)
        assert len(stops) == len({*stops}), "the keyboard reaches each answer once"
        # Only the points by round may lie lower.
        assert (
            targets.height_of_drawing(svg) - score_sheet_height(View(asked.fold, asked.seat, "fr", scene))
            <= targets.SMALLEST_PHONE
        )
        kinds.add((f"{asked.kind} {len(scene.chosen)}", seats))
    assert len(kinds) > 3 * 4, "a Nobori and a card, each open and chosen, and what to look at"


@pytest.mark.long
@cases("room", targets.COLUMN.values())
def test_no_choice_beside_a_wide_board_needs_scrolling(room: float) -> None:
    assert max(64 * -(-len(asked.scene.links) // 3) for asked in targets.steps_on_the_way(GAME, 7)) <= room


def test_touching_a_card_that_cannot_be_chosen_says_why() -> None:
    played = Played(*FOUR, dealer=DAVE)
    own = played.fold_of(ALICE)
    used = replace(own, nobori=(("double", "zero", "villagers", "look"), *own.nobori[1:]))
    shapes: tuple[Shape, ...] = ("portrait", "landscape", "low")
    for shape in shapes:
        why = {"swap": Link("?no=swap", "Swap has been used")}
        tree = parse(draw(used, ALICE, "en", Scene({"none": Link("?", "none")}, refused=why, shape=shape)))
        assert labels(tree).count("Swap has been used") == 1
        played.no_nobori()
    played.play("20")
    for shape in shapes:
        why = {"play-V9": Link("?no=play-V9", "V9 cannot be played")}
        scene = Scene({"play-S19": Link("?", "S19")}, refused=why, shape=shape)
        tree = parse(draw(played.fold_of(BOB), BOB, "en", scene))
        (quiet,) = (a for a in tree.iter("a") if a.attrib["aria-label"] == "V9 cannot be played")
        assert "ib" not in {rect.attrib["class"] for rect in quiet.iter("rect")}, "no frame of a choice"


def test_touching_the_place_of_the_chosen_nobori_puts_it_back() -> None:
    own = Played(*FOUR, dealer=DAVE).fold_of(ALICE)
    after = GAME.evolve(own, GAME.preview(own, ALICE, Raise("double"))[0])
    tree = parse(draw(after, ALICE, "en", Scene({"none": Link("?", "none")}, chosen=("double",))))
    (back,) = (a for a in tree.iter("a") if a.attrib["aria-label"] == "none")
    assert [one.attrib["href"] for one in back.iter("use")] == ["#nobori-double"]
