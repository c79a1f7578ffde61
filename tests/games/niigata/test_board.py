"""The drawn board: random matches in every phase, from every seat and for a spectator."""

import itertools
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from pbem.games.niigata import GAME
from pbem.games.niigata.board_chart import SIDE, SMALL, TALLEST, TOP, WIDTH, window
from pbem.games.niigata.board_pieces import SPOTS
from pbem.games.niigata.board_tags import tags
from pbem.games.niigata.board_view import View
from pbem.games.niigata.facts import NiigataOptions, Place, State
from pbem.games.niigata.facts_tiles import PRINTED
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import LANGS, Link, Scene
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import evolve_all
from pbem.render import pictures
from tests.games.niigata.tables import ALICE, BOB, Played, holding
from tests.transcripts import seed_of

ON_A_PHONE = (390 - 32 - 10) / WIDTH
"""Pixels a unit of the board, on a page 390 pixels wide."""
NAMES = ["Alice", "Bob", "Carol", "Dave", "Eve", "Frank"]


def positions() -> Iterator[tuple[Table, State]]:
    for n, seats in enumerate(GAME.meta.seats):
        options = NiigataOptions("grab" if n % 2 else "turns")
        table = Table(GAME, seats, options, seed_of("board", seats, n))
        for at, _ in enumerate(random_decisions(table)):
            if at % 11 == 0:
                yield table, table.state
        yield table, table.state


def parsed(svg: str, seats: int) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.page_svg(svg, NAMES[:seats]))


def labels(tree: ElementTree.Element) -> list[str]:
    return [a.attrib["aria-label"] for a in tree.iter("a")]


def words(tree: ElementTree.Element) -> list[str]:
    return ["".join(t.itertext()) for t in tree.iter("text")]


def uses(tree: ElementTree.Element, name: str) -> int:
    return sum(use.attrib["href"] == f"#{name}" for use in tree.iter("use"))


def test_a_board_shows_every_tile_of_the_map_the_display_and_the_hands_once() -> None:
    for table, state in positions():
        tree = parsed(GAME.draw(state, None, "en", Scene()), table.seats)
        drawn = sorted(e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib)
        there = [laid.tile for laid in state.laid.values()] + [*state.display]
        # What is still in a hand at the end is lost.
        there += [tile for hand in state.hands for tile in hand if not state.over]
        assert drawn == sorted(there)
        claimed = sum(p.owner is not None for p in state.ponds.values())
        assert uses(tree, "breeder") == claimed + sum(state.breeders)
        assert sum(word.startswith("+") for word in words(tree)) == len(state.free)


def test_a_board_does_not_depend_on_the_order_of_dicts() -> None:
    for _, state in positions():
        again: Any = codec_for(GAME).state(encode(state))
        for lang in LANGS:
            assert GAME.draw(again, 0, lang, Scene()) == GAME.draw(state, 0, lang, Scene())
            assert GAME.describe(again, 0, lang) == GAME.describe(state, 0, lang)
        for seat in range(state.seats):
            assert list(GAME.legal(again, seat)) == list(GAME.legal(state, seat))


def test_the_window_shows_all_cells_that_have_a_tile_or_may_get_one() -> None:
    played = holding(["N10"], ["N11"])
    assert panned(GAME.draw(played.state, None, "en", Scene())) == (-100, -100, 300, 300)
    played.play("place N10 1N r1")
    assert panned(GAME.draw(played.state, None, "en", Scene())) == (-100, -200, 300, 400)


def panned(svg: str) -> tuple[int, ...]:
    """The part of the map in the window: left, top, width and height."""
    return tuple(int(n) for n in re.findall(r'data-pan="(-?\d+) (-?\d+) (\d+) (\d+)"', svg)[0])


def test_all_of_the_map_is_inside_its_window_and_cells_are_large_enough_to_be_touched() -> None:
    for table, state in positions():
        seen = window(View(state, None, "en", Scene()), 56)
        x, y = seen.origin
        assert x + seen.cell * seen.columns.start >= SIDE
        assert x + seen.cell * seen.columns.stop <= WIDTH
        assert y + seen.cell * seen.rows.start >= seen.y + TOP
        assert y + seen.cell * seen.rows.stop <= seen.y + seen.height
        if max(len(seen.columns), len(seen.rows)) <= 13:
            assert seen.cell * ON_A_PHONE >= 24
        assert seen.height <= TALLEST
        svg = GAME.draw(state, None, "en", Scene())
        assert float(re.findall(r'viewBox="0 0 360 ([0-9.]+)"', svg)[0]) < 2.4 * WIDTH
        assert len(svg) < 48_000, (table.seats, len(state.laid))


def test_no_tag_of_a_closed_pond_hides_another_one() -> None:
    checked = 0
    for _, state in positions():
        for scale in (1, 1.45):
            placed = tags(state, scale)
            assert sorted(tag.name for tag in placed) == sorted(n for n, p in state.ponds.items() if not p.open)
            for one, other in itertools.combinations(placed, 2):
                # The number in its disc and the letter must be legible: they are in the lower half, side by side.
                assert abs(one.x - other.x) > 24 or abs(one.y - other.y) > 24, (one, other)
                checked += 1
    assert checked > 1000


def test_what_can_be_touched_is_what_the_steps_say() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N10", "N31"], ("Y", 3))
    fold = played.seen(BOB)
    links = {f"take-{t}": Link(f"?{t}", f"Take {t}") for t in ("N11", "N12")}
    tree = parsed(GAME.draw(fold, BOB, "en", Scene(links=links)), 2)
    assert labels(tree) == ["Take N11", "Take N12"]
    assert tree.attrib["role"] == "group"
    assert parsed(GAME.draw(fold, BOB, "en", Scene()), 2).attrib["role"] == "img"


def test_empty_cells_hand_and_free_ponds_can_be_touched() -> None:
    played = holding(["N03", "N10"], ["N02"])
    links = {"lay-N03": Link("?l", "Lay"), "lay-N02": Link("?o", "Others’"), "at-1N": Link("?a", "At 1N")}
    assert labels(parsed(GAME.draw(played.seen(ALICE), ALICE, "en", Scene(links)), 2)) == ["At 1N", "Lay"]
    played.all_play("place N03 1E r3", "place N02 1N")
    claim = {"claim-0.N": Link("?c", "Claim")}
    assert labels(parsed(GAME.draw(played.seen(BOB), BOB, "en", Scene(claim)), 2)) == ["Claim"]


def links_of(fold: State, seat: int, taken: tuple[str, ...]) -> dict[str, Link]:
    """What a reader can touch on a page after these steps."""
    paths = [[step.text for step in GAME.path(move, fold, "en")] for move in GAME.legal(fold, seat)]
    nexts = {path[len(taken)] for path in paths if tuple(path[: len(taken)]) == taken}
    return {step: Link(f"?{step}", step) for step in sorted(nexts)}


def test_a_tile_is_chosen_then_its_cell_then_how_it_lies_and_each_is_touched_on_the_board() -> None:
    played = holding(["N03", "N10"], ["N02"])
    fold = played.seen(ALICE)
    tile, cell = ("lay-N03",), ("lay-N03", "at-1E")
    assert labels(parsed(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, ()))), 2)) == ["lay-N03", "lay-N10"]
    cells = labels(parsed(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, tile), tile)), 2))
    assert sorted(cells) == ["at-1E", "at-1N", "at-1S", "at-1W"]
    half = parsed(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, cell), cell)), 2)
    assert labels(half) == ["turn-0", "turn-0", "turn-1", "turn-2", "turn-3"]
    # The tile is shown in its cell beside the ways in which it can lie, but it does not lie there yet.
    assert "N03" not in [e.attrib.get("data-piece") for e in half.iter()]
    assert uses(half, "tile-a---") == 5


def test_touching_the_chosen_tile_turns_it_on() -> None:
    played = holding(["N03", "N10"], ["N02"])
    fold = played.seen(ALICE)
    links = links_of(fold, ALICE, ("lay-N03", "at-1E"))
    for rotation, following in ((0, 1), (1, 2), (3, 0)):
        after = evolve_all(GAME, fold, GAME.preview(fold, ALICE, Place("N03", "1E", rotation)))
        chosen = ("lay-N03", "at-1E", f"turn-{rotation}")
        tree = parsed(GAME.draw(after, ALICE, "en", Scene(links, chosen)), 2)
        (on_map,) = [a for a in tree.iter("a") if any(e.attrib.get("data-piece") == "N03" for e in a.iter())]
        assert on_map.attrib["aria-label"] == f"turn-{following}"


def test_a_chosen_move_leaves_the_question_that_it_answers() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N10", "N31"], ("Y", 3))
    own = played.seen(BOB)
    assert said_after(own, BOB, "take N11", ("take-N11",)) == "take a tile"
    assert said_after(own, BOB, "pass", ("pass",)) == "take a tile"
    played = holding(["N03", "N10"], ["N02"])
    assert said_after(played.seen(ALICE), ALICE, "place N03 1E r3", ("lay-N03", "at-1E", "turn-3")) == "lay a tile"
    played.all_play("place N03 1E r3", "place N02 1N")
    assert said_after(played.seen(BOB), BOB, "claim 0 N", ("claim-0.N",)) == "a breeder?"
    assert said_after(played.seen(BOB), BOB, "pass", ("pass",)) == "a breeder?"


def said_after(fold: State, seat: int, move: str, chosen: tuple[str, ...]) -> str:
    """What the board of a chosen move tells its reader to do."""
    after = evolve_all(GAME, fold, GAME.preview(fold, seat, GAME.parse(move)))
    return words(parsed(GAME.draw(after, seat, "en", Scene(chosen=chosen)), fold.seats))[0]


def test_a_link_draws_a_large_map_larger_for_whoever_has_no_script() -> None:
    large = 0
    for _, state in positions():
        for seat in [ask.seat for ask in GAME.pending(state)][:1]:
            links = links_of(state, seat, ())
            offered = 'href="#map"' in GAME.draw(state, seat, "en", Scene(links))
            assert offered == (window(View(state, seat, "en", Scene()), 56).cell <= SMALL)
            assert 'href="#map"' not in GAME.draw(state, seat, "en", Scene())
            large += offered
    assert large > 3


def test_equal_things_have_names_of_their_own_that_stay() -> None:
    for table, state in positions():
        tree = parsed(GAME.draw(state, None, "en", Scene()), table.seats)
        tokens = [e.attrib["data-token"] for e in tree.iter() if "data-token" in e.attrib]
        assert len(tokens) == len(set(tokens))
        claimed = {f"breeder-{p.owner}-{name}" for name, p in state.ponds.items() if p.owner is not None}
        assert claimed <= set(tokens)


def test_what_was_chosen_bears_a_seal() -> None:
    played = holding(["N03", "N10"], ["N02"])
    own = played.seen(ALICE)
    chosen = ("lay-N03", "at-1E", "turn-3")
    after = evolve_all(GAME, own, GAME.preview(own, ALICE, Place("N03", "1E", 3)))
    assert uses(parsed(GAME.draw(after, ALICE, "en", Scene(chosen=chosen)), 2), "seal") == 1
    half = parsed(GAME.draw(own, ALICE, "en", Scene(chosen=chosen[:1])), 2)
    assert uses(half, "seal") == 1
    played.all_play("place N03 1E r3", "place N02 1N")
    own = played.seen(BOB)
    after = evolve_all(GAME, own, GAME.preview(own, BOB, GAME.parse("claim 0 N")))
    assert uses(parsed(GAME.draw(after, BOB, "en", Scene(chosen=("claim-0.N",))), 2), "seal") == 1


def test_what_has_just_happened_is_numbered_where_it_lies() -> None:
    played = holding(["N03", "N10"], ["N02"])
    played.all_play("place N03 1E r3", "place N02 1N", "claim 0 N")
    recent = tuple(enumerate(played.events, 40))
    seen = words(parsed(GAME.draw(played.state, ALICE, "en", Scene(recent=recent)), 2))
    # Taken: N10 still in hand; laid: both; claimed. A laid tile no longer shows the number of its taking.
    assert [seen.count(str(n)) for n in range(40, 49)] == [0, 0, 0, 1, 0, 0, 1, 1, 1]


def test_a_hostile_link_stays_one_attribute() -> None:
    played = Played(2, ALICE, ["N11"], ("Y", 3))
    link = Link('?m="><script>&n={0}', '{1} "quoted" <b> & more')
    tree = parsed(GAME.draw(played.seen(BOB), BOB, "en", Scene(links={"take-N11": link})), 2)
    (anchor,) = tree.iter("a")
    assert (anchor.attrib["href"], anchor.attrib["aria-label"]) == (link.href, link.label)


def test_the_board_says_whose_turn_it_is_and_who_won() -> None:
    played = holding(["N03"], ["N02"], stock=0)
    assert "lay a tile" in words(parsed(GAME.draw(played.state, ALICE, "en", Scene()), 2))
    assert "à Alice de poser" in words(parsed(GAME.draw(played.state, BOB, "fr", Scene()), 2))
    played.all_play("place N03 1E r3", "place N02 1N", "claim 0 N")
    assert "vous gagnez" in words(parsed(GAME.draw(played.state, BOB, "fr", Scene()), 2))
    assert "Bob wins" in words(parsed(GAME.draw(played.state, None, "en", Scene()), 2))


def test_every_piece_of_every_tile_has_room_for_its_animals() -> None:
    for edges, animals in PRINTED.values():
        for (middle, several), living in zip(SPOTS[edges], animals, strict=True):
            assert len(several) >= len(living)
            assert len(set(several)) == len(several)
            assert all(0 < x < 100 and 0 < y < 100 for x, y in (middle, *several))


def test_the_picture_of_a_board_follows_the_fold() -> None:
    played = holding(["N03", "N10"], ["N02"])
    before = pictures.png(GAME, GAME.draw(played.state, None, "fr", Scene()), NAMES[:2], 300)
    played.play("place N03 1E r3")
    after = pictures.png(GAME, GAME.draw(played.state, None, "fr", Scene()), NAMES[:2], 300)
    assert before != after
    assert before.startswith(b"\x89PNG")
