"""The drawn board: random matches in every phase, from every seat and for a spectator."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.board import pieces
from pbem.games.niigata.board.pieces import SPOTS, TAG, draw_thumbnail, tags_of_closed_ponds
from pbem.games.niigata.board.view import View
from pbem.games.niigata.board.window import Window, map_window
from pbem.games.niigata.facts import Place
from pbem.games.niigata.facts_state import NiigataOptions, State
from pbem.games.niigata.facts_tiles import PRINTED, reading_order_key
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import Extent, Link, Scene, Shape
from pbem.kit.drawing.grid import Box
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import evolve_all
from pbem.kit.texts import LANGS
from pbem.render import pictures
from tests.games.niigata.tables import ALICE, BOB, Played, match_with_hands
from tests.games.stage import targets
from tests.harness.cases import cases
from tests.transcripts import seed_of

NAMES = ["Alice", "Bob", "Carol", "Dave", "Eve", "Frank"]


def positions() -> Iterator[tuple[Table, State]]:
    for n, seats in enumerate(GAME.meta.seats):
        options = NiigataOptions("grab" if n % 2 else "turns")
        table = Table(GAME, seats, options, seed_of("board", seats, n))
        for at, _ in enumerate(random_decisions(table)):
            if at % 11 == 0:
                yield table, table.state
        yield table, table.state


def parse(svg: str, seats: int) -> ElementTree.Element:
    return ElementTree.fromstring(pictures.svg_with_names(svg, NAMES[:seats]))


def labels(tree: ElementTree.Element) -> list[str]:
    return [a.attrib["aria-label"] for a in tree.iter("a")]


def words(tree: ElementTree.Element) -> list[str]:
    return ["".join(t.itertext()) for t in tree.iter("text")]


def uses(tree: ElementTree.Element, name: str) -> int:
    return sum(use.attrib["href"] == f"#{name}" for use in tree.iter("use"))


@pytest.mark.long
def test_a_board_shows_each_tile_of_map_display_and_hands_exactly_once() -> None:
    for table, state in positions():
        tree = parse(GAME.draw(state, None, "en", Scene()), table.seats)
        drawn = sorted(e.attrib["data-piece"] for e in tree.iter() if "data-piece" in e.attrib)
        there = [laid.tile for laid in state.laid.values()] + [*state.display]
        # What is still in a hand at the end is lost.
        there += [tile for hand in state.hands for tile in hand if not state.over]
        assert drawn == sorted(there)
        claimed = sum(p.owner is not None for p in state.ponds.values())
        breeders = [e for e in tree.iter() if e.attrib.get("data-token", "").startswith("breeder-")]
        assert len(breeders) == claimed + sum(state.breeders)
        assert sum(word.startswith("+") for word in words(tree)) == len(state.free)


@pytest.mark.long
def test_a_board_does_not_depend_on_the_order_of_dicts() -> None:
    for _, state in positions():
        again: Any = codec_for(GAME).state(encode(state))
        for lang in LANGS:
            assert GAME.draw(again, 0, lang, Scene()) == GAME.draw(state, 0, lang, Scene())
            assert GAME.describe(again, 0, lang) == GAME.describe(state, 0, lang)
        for seat in range(state.seats):
            assert list(GAME.legal(again, seat)) == list(GAME.legal(state, seat))


def test_the_board_window_contains_every_cell_with_a_tile_or_open_to_one() -> None:
    played = match_with_hands(["N10"], ["N11"])
    assert part_in_window(GAME.draw(played.state, None, "en", Scene())) == (-100, -100, 300, 300)
    played.play("place N10 1N r1")
    assert part_in_window(GAME.draw(played.state, None, "en", Scene())) == (-100, -200, 300, 400)


def part_in_window(svg: str) -> tuple[int, ...]:
    """The part of the map in the window: left, top, width and height."""
    return tuple(int(n) for n in re.findall(r'data-pan="(-?\d+) (-?\d+) (\d+) (\d+)"', svg)[0])


def windows() -> Iterator[tuple[View, Window]]:
    """How the map lies on boards of every shape: for a spectator, and for a seat while it chooses."""
    for _, state in positions():
        scenes: list[tuple[int | None, Scene]] = [(None, Scene())]
        scenes += [(ask.seat, Scene(links_of(state, ask.seat, ()))) for ask in GAME.pending(state)[:1]]
        for viewer, scene in scenes:
            for shape, at in BOXES.items():
                view = View(state, viewer, "en", replace(scene, shape=shape))
                yield view, map_window(view, at)


BOXES: dict[Shape, Box] = {
    "portrait": Box(12, 140, 366, 340),
    "landscape": Box(288, 16, 816, 604),
    "low": Box(170, 8, 372, 290),
}


@pytest.mark.long
def test_the_whole_map_lies_inside_its_window() -> None:
    small = 0
    for view, seen in windows():
        if view.viewer is not None or not seen.whole:
            continue
        assert seen.left <= seen.columns.start
        assert seen.left + seen.at.width / seen.cell >= seen.columns.stop
        assert seen.top <= seen.rows.start
        assert seen.top + seen.at.height / seen.cell >= seen.rows.stop
        small += seen.corner is not None
    assert small


@pytest.mark.long
def test_choosable_cells_fit_a_finger_and_none_lies_under_the_overview() -> None:
    parts = 0
    for view, seen in windows():
        if view.viewer is None or view.phase not in ("place", "claim"):
            continue
        assert seen.cell >= view.sizes.touch
        if seen.whole:
            continue
        parts += 1
        assert seen.corner
        x, y = seen.corner_of_start_tile
        shown = 0
        for row, column in map(reading_order_key, view.open_cells if view.phase == "place" else ()):
            cell = Box(x + seen.cell * column, y + seen.cell * row, seen.cell, seen.cell)
            shown += inside(cell, seen.at)
            assert not (meet(cell, seen.at) and meet(cell, seen.corner))
        assert view.phase != "place" or shown >= 6
    assert parts


@pytest.mark.long
def test_no_cell_is_cut_at_the_edge_of_a_window() -> None:
    parts = 0
    for view, seen in windows():
        x, y = seen.corner_of_start_tile
        for row, column in map(reading_order_key, view.cells_with_tile_or_open):
            left, top = x + seen.cell * column, y + seen.cell * row
            across = min(left + seen.cell, seen.at.right) - max(left, seen.at.x)
            along = min(top + seen.cell, seen.at.bottom) - max(top, seen.at.y)
            # An empty cell that can be chosen is drawn 8 hundredths inside its place.
            shown = min(across, along) / seen.cell
            assert shown < 0.07 or shown > 0.93
        parts += not seen.whole
    assert parts


def meet(one: Box, other: Box) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


def inside(one: Box, other: Box) -> bool:
    return other.x <= one.x and one.right <= other.right and other.y <= one.y and one.bottom <= other.bottom


@pytest.mark.long
def test_the_map_moves_only_to_show_a_chosen_cell_that_was_out_of_sight() -> None:
    for _, state in positions():
        for ask in GAME.pending(state)[:1]:
            if ask.kind != "place":
                continue
            move = GAME.legal(state, ask.seat)[-1]
            steps = tuple(step.text for step in GAME.path(move, state, "en"))
            after = evolve_all(GAME, state, GAME.preview(state, ask.seat, move))
            drawn = []
            for n, fold in enumerate((state, state, state, after)):
                links = links_of(state, ask.seat, steps[: min(n, len(steps) - 1)])
                view = View(fold, ask.seat, "en", Scene(links, steps[:n]))
                drawn.append(map_window(view, BOXES["portrait"]))
            cell = reading_order_key(move.cell)
            seen = drawn[-1]
            assert seen.left <= cell[1] <= seen.left + seen.at.width / seen.cell - 1
            assert seen.top <= cell[0] <= seen.top + seen.at.height / seen.cell - 1
            assert drawn[0] == drawn[1]
            assert drawn[2] == drawn[3]
            before = drawn[0]
            if before.left <= cell[1] <= before.left + before.at.width / before.cell - 1 and (
                before.top <= cell[0] <= before.top + before.at.height / before.cell - 1
            ):
                assert seen == before


@pytest.mark.long
def test_a_board_is_not_too_long_for_a_phone_and_not_too_large_for_a_page() -> None:
    for table, state in positions():
        for shape in ("portrait", "landscape", "low"):
            svg = GAME.draw(state, None, "en", Scene(shape=shape))
            assert len(svg) < 48_000, (table.seats, len(state.laid))
        svg = GAME.draw(state, None, "en", Scene())
        assert targets.height_of_drawing(svg) <= targets.SMALLEST_PHONE


@pytest.mark.long
def test_a_reader_chooses_between_the_whole_map_and_a_part() -> None:
    extents: dict[Extent, str] = {"whole": "?w", "part": "?p"}
    seen = set()
    for _, state in positions():
        for ask in GAME.pending(state)[:1]:
            for extent in (None, "whole", "part"):
                scene = Scene(links_of(state, ask.seat, ()), extent=extent, extents=extents)
                svg = GAME.draw(state, ask.seat, "en", scene)
                shown = re.findall(r'data-extent="(\w+)"', svg)[0]
                other = [href for href in ("?w", "?p") if f'href="{href}"' in svg]
                # A map in large cells is always whole, and leads nowhere.
                assert other in ([], ["?p" if shown == "whole" else "?w"])
                assert not other or extent in (None, shown)
                seen.add((extent, shown, *other))
    assert {(None, "part", "?w"), ("whole", "whole", "?p"), ("part", "part", "?w")} <= seen


def test_other_cells_can_still_be_touched_when_one_is_chosen() -> None:
    fold = match_with_hands(["N03", "N10"], ["N02"]).fold_of(ALICE)
    others = links_of(fold, ALICE, ()) | links_of(fold, ALICE, ("lay-N03",))
    taken = ("lay-N03", "at-1E")
    tree = parse(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, taken), taken, others=others)), 2)
    assert {"at-1N", "at-1S", "at-1W"} <= {*labels(tree)}
    assert "at-1E" not in labels(tree)


def test_the_stored_thumbnail_of_each_tile_is_up_to_date() -> None:
    parts = (Path(pieces.__file__).parents[1] / "parts.svg").read_text()
    for name in PRINTED:
        assert draw_thumbnail(name) in parts, "run pbem.games.niigata.board.pieces.draw_thumbnail over PRINTED"


@pytest.mark.long
def test_no_tag_of_a_closed_pond_hides_another_one() -> None:
    checked = 0
    for _, state in positions():
        for scale in (1, 1.45):
            placed = tags_of_closed_ponds(state, TAG[0] * scale, TAG[1] * scale)
            assert sorted(tag.name for tag in placed) == sorted(n for n, p in state.ponds.items() if not p.open)
            for one, other in itertools.combinations(placed, 2):
                # The number in its disc and the letter must be legible: they are in the lower half, side by side.
                assert abs(one.x - other.x) > 24 or abs(one.y - other.y) > 24, (one, other)
                checked += 1
    assert checked > 1000


def test_the_touchable_tiles_are_those_of_the_moves_steps() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N10", "N31"], ("Y", 3))
    fold = played.fold_of(BOB)
    links = {f"take-{t}": Link(f"?{t}", f"Take {t}") for t in ("N11", "N12")}
    tree = parse(GAME.draw(fold, BOB, "en", Scene(links=links)), 2)
    assert labels(tree) == ["Take N11", "Take N12"]
    assert tree.attrib["role"] == "group"
    assert parse(GAME.draw(fold, BOB, "en", Scene()), 2).attrib["role"] == "img"


def test_empty_cells_hand_and_free_ponds_can_be_touched() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    links = {"lay-N03": Link("?l", "Lay"), "lay-N02": Link("?o", "Others’"), "at-1N": Link("?a", "At 1N")}
    assert labels(parse(GAME.draw(played.fold_of(ALICE), ALICE, "en", Scene(links)), 2)) == ["At 1N", "Lay"]
    played.all_play("place N03 1E r3", "place N02 1N")
    claim = {"claim-0.N": Link("?c", "Claim")}
    assert labels(parse(GAME.draw(played.fold_of(BOB), BOB, "en", Scene(claim)), 2)) == ["Claim"]


def links_of(fold: State, seat: int, taken: tuple[str, ...]) -> dict[str, Link]:
    """What a reader can touch on a page after these steps."""
    paths = [[step.text for step in GAME.path(move, fold, "en")] for move in GAME.legal(fold, seat)]
    nexts = {path[len(taken)] for path in paths if tuple(path[: len(taken)]) == taken}
    return {step: Link(f"?{step}", step) for step in sorted(nexts)}


def test_touching_the_board_chooses_the_tile_then_its_cell_then_its_turn() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    fold = played.fold_of(ALICE)
    tile, cell = ("lay-N03",), ("lay-N03", "at-1E")
    assert labels(parse(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, ()))), 2)) == ["lay-N03", "lay-N10"]
    cells = labels(parse(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, tile), tile)), 2))
    assert sorted(cells) == ["at-1E", "at-1N", "at-1S", "at-1W"]
    half = parse(GAME.draw(fold, ALICE, "en", Scene(links_of(fold, ALICE, cell), cell)), 2)
    assert labels(half) == ["turn-0", "turn-0", "turn-1", "turn-2", "turn-3"]
    # The tile is shown in its cell beside the ways in which it can lie, but it does not lie there yet.
    assert "N03" not in [e.attrib.get("data-piece") for e in half.iter()]
    # Four ways, one of them in the cell, and Bob's own tile.
    assert uses(half, "tile-a---") == 4 + 1 + 1


def test_touching_the_chosen_tile_rotates_it() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    fold = played.fold_of(ALICE)
    links = links_of(fold, ALICE, ("lay-N03", "at-1E"))
    for rotation, following in ((0, 1), (1, 2), (3, 0)):
        after = evolve_all(GAME, fold, GAME.preview(fold, ALICE, Place("N03", "1E", rotation)))
        chosen = ("lay-N03", "at-1E", f"turn-{rotation}")
        tree = parse(GAME.draw(after, ALICE, "en", Scene(links, chosen)), 2)
        (on_map,) = [a for a in tree.iter("a") if any(e.attrib.get("data-piece") == "N03" for e in a.iter())]
        assert on_map.attrib["aria-label"] == f"turn-{following}"


def test_after_a_move_is_chosen_the_board_still_asks_its_question() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N10", "N31"], ("Y", 3))
    own = played.fold_of(BOB)
    assert "take a tile" in text_after(own, BOB, "take N11", ("take-N11",))
    assert "take a tile" in text_after(own, BOB, "pass", ("pass",))
    played = match_with_hands(["N03", "N10"], ["N02"])
    assert "lay a tile" in text_after(played.fold_of(ALICE), ALICE, "place N03 1E r3", ("lay-N03", "at-1E", "turn-3"))
    played.all_play("place N03 1E r3", "place N02 1N")
    assert "a breeder?" in text_after(played.fold_of(BOB), BOB, "claim 0 N", ("claim-0.N",))
    assert "a breeder?" in text_after(played.fold_of(BOB), BOB, "pass", ("pass",))


def text_after(fold: State, seat: int, move: str, chosen: tuple[str, ...]) -> list[str]:
    """What the board of a chosen move tells its reader to do."""
    after = evolve_all(GAME, fold, GAME.preview(fold, seat, GAME.parse(move)))
    return words(parse(GAME.draw(after, seat, "en", Scene(chosen=chosen)), fold.seats))


@pytest.mark.long
def test_each_piece_has_a_name_of_its_own_and_a_breeder_that_of_its_pond() -> None:
    for table, state in positions():
        tree = parse(GAME.draw(state, None, "en", Scene()), table.seats)
        tokens = [e.attrib["data-token"] for e in tree.iter() if "data-token" in e.attrib]
        assert len(tokens) == len(set(tokens))
        claimed = {f"breeder-{p.owner}-{name}" for name, p in state.ponds.items() if p.owner is not None}
        assert claimed <= set(tokens)


def test_the_chosen_piece_bears_a_seal() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    own = played.fold_of(ALICE)
    chosen = ("lay-N03", "at-1E", "turn-3")
    after = evolve_all(GAME, own, GAME.preview(own, ALICE, Place("N03", "1E", 3)))
    assert uses(parse(GAME.draw(after, ALICE, "en", Scene(chosen=chosen)), 2), "seal") == 1
    half = parse(GAME.draw(own, ALICE, "en", Scene(chosen=chosen[:1])), 2)
    assert uses(half, "seal") == 1
    played.all_play("place N03 1E r3", "place N02 1N")
    own = played.fold_of(BOB)
    after = evolve_all(GAME, own, GAME.preview(own, BOB, GAME.parse("claim 0 N")))
    assert uses(parse(GAME.draw(after, BOB, "en", Scene(chosen=("claim-0.N",))), 2), "seal") == 1


def test_the_newest_events_are_numbered_on_the_board() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    played.all_play("place N03 1E r3", "place N02 1N", "claim 0 N")
    recent = tuple(enumerate(played.events, 40))
    seen = words(parse(GAME.draw(played.state, ALICE, "en", Scene(recent=recent)), 2))
    # Taken: N10 still in hand; laid: both; claimed. A laid tile no longer shows the number of its taking.
    assert [seen.count(str(n)) for n in range(40, 49)] == [0, 0, 0, 1, 0, 0, 1, 1, 1]


def test_a_hostile_links_text_is_escaped_in_the_board() -> None:
    played = Played(2, ALICE, ["N11"], ("Y", 3))
    link = Link('?m="><script>&n={0}', '{1} "quoted" <b> & more')
    tree = parse(GAME.draw(played.fold_of(BOB), BOB, "en", Scene(links={"take-N11": link})), 2)
    (anchor,) = tree.iter("a")
    assert (anchor.attrib["href"], anchor.attrib["aria-label"]) == (link.href, link.label)


def test_the_board_says_whose_turn_it_is_and_who_won() -> None:
    played = match_with_hands(["N03"], ["N02"], stock=0)
    assert "lay a tile" in words(parse(GAME.draw(played.state, ALICE, "en", Scene()), 2))
    assert "à Alice de poser" in words(parse(GAME.draw(played.state, BOB, "fr", Scene()), 2))
    played.all_play("place N03 1E r3", "place N02 1N", "claim 0 N")
    assert "vous gagnez" in words(parse(GAME.draw(played.state, BOB, "fr", Scene()), 2))
    assert "Bob wins" in words(parse(GAME.draw(played.state, None, "en", Scene()), 2))


def test_every_piece_of_every_tile_has_room_for_its_animals() -> None:
    for edges, animals in PRINTED.values():
        for (middle, several), living in zip(SPOTS[edges], animals, strict=True):
            assert len(several) >= len(living)
            assert len(set(several)) == len(several)
            assert all(0 < x < 100 and 0 < y < 100 for x, y in (middle, *several))


def test_the_png_of_a_board_changes_with_the_position() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    before = pictures.board_png(GAME, GAME.draw(played.state, None, "fr", Scene()), NAMES[:2], 300)
    played.play("place N03 1E r3")
    after = pictures.board_png(GAME, GAME.draw(played.state, None, "fr", Scene()), NAMES[:2], 300)
    assert before != after
    assert before.startswith(b"\x89PNG")


# --- on the screens of phones and desktops -----------------------------------------------------------------------


@pytest.mark.long
def test_each_answer_can_be_touched_on_a_board_that_fits_a_small_phone() -> None:
    kinds = set[str]()
    for asked in targets.steps_on_the_way(GAME, 11):
        scene, seats = asked.scene, asked.fold.seats
        svg = GAME.draw(asked.fold, asked.seat, "fr", scene)
        assert targets.height_of_drawing(svg) <= targets.SMALLEST_PHONE
        assert targets.least_letters(svg, seats) >= targets.LEAST_TEXT
        stops = targets.tab_stops(svg)
        assert len(stops) == len({*stops}), "the keyboard reaches each answer once"
        found = targets.links_of_drawing(svg, seats)
        assert {link.href for step, link in scene.links.items() if step not in scene.chosen} <= {
            one.href for one in found
        }
        # How large the signs of ponds are is the window's to say.
        off_map = [one.least for one in found if not one.href.startswith("?claim-")]
        assert min(off_map, default=targets.THUMB) >= targets.THUMB
        kinds.add(f"{asked.kind} {len(scene.chosen)}")
    assert kinds == {
        "pick 0", "pick 1", "grab 0", "grab 1", "claim 0", "claim 1", "place 0", "place 1", "place 2", "place 3"
    }  # fmt: skip


@pytest.mark.long
@cases("room", targets.COLUMN.values())
def test_no_choice_beside_a_wide_board_needs_scrolling(room: float) -> None:
    for asked in targets.steps_on_the_way(GAME, 11):
        svg = GAME.draw(asked.fold, asked.seat, "en", replace(asked.scene, shape="pad"))
        listed = [link for step, link in asked.scene.links.items() if not step.startswith("at-")]
        outside = [link for link in listed if f'href="{link.href}"' not in svg]
        # A last choice that would be alone in its row is wide.
        rows, alone = divmod(len(outside), 3)
        high = 64 * (rows + (alone > 1)) + 46 * (alone == 1)
        assert high + (targets.height_of_drawing(svg) * 308 / 340 if svg else 0) <= room


def test_touching_a_tile_that_does_not_match_the_dice_tells_why() -> None:
    fold = Played(2, ALICE, ["N11", "N12", "N10", "N31"], ("Y", 3)).fold_of(BOB)
    why = {"take-N31": Link("?no=N31", "N31 does not match")}
    for shape in BOXES:
        tree = parse(GAME.draw(fold, BOB, "en", Scene({"take-N11": Link("?", "N11")}, refused=why, shape=shape)), 2)
        (quiet,) = (a for a in tree.iter("a") if a.attrib["aria-label"] == "N31 does not match")
        assert "ib" not in {rect.attrib["class"] for rect in quiet.iter("rect")}, "no frame of a choice"


def test_touching_an_open_or_taken_pond_tells_why_no_breeder_goes_there() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    played.all_play("place N03 1E r3", "place N02 1N", "claim 0 N")
    fold = replace(played.fold_of(ALICE), phase="claim", active=ALICE)
    taken, open_ = (next(n for n, pond in fold.ponds.items() if any(pond.animals) and bool(pond.open) == is_open)
                    for is_open in (False, True))  # fmt: skip
    why = {f"claim-{name}": Link(f"?no={name}", name) for name in (taken, open_)}
    tree = parse(GAME.draw(fold, ALICE, "en", Scene({"pass": Link("?pass", "none")}, refused=why)), 2)
    breeders = [one.attrib.get("data-token", "") for a in tree.iter("a") for one in a.iter("g")]
    assert f"breeder-{BOB}-{taken}" in breeders
    tiles = {a.attrib["aria-label"]: [one.attrib["data-piece"] for one in a.iter("g") if "data-piece" in one.attrib]
             for a in tree.iter("a") if not any("data-token" in one.attrib for one in a.iter("g"))}  # fmt: skip
    assert tiles[taken]
    assert tiles[open_]


@cases("kind, said", [("pick", "pass"), ("claim", "none")])
def test_on_a_phone_passing_has_a_place_beside_the_tiles(kind: str, said: str) -> None:
    played = Played(2, ALICE, ["N11", "N12", "N10", "N31"], ("Y", 3))
    if kind == "claim":
        played = match_with_hands(["N03", "N10"], ["N02"])
        played.all_play("place N03 1E r3", "place N02 1N")
    fold, scene = played.fold_of(BOB), Scene({"pass": Link("?pass", "Pass")})
    assert fold.phase == kind
    shapes: tuple[Shape, ...] = ("portrait", "low")
    for shape in shapes:
        tree = parse(GAME.draw(fold, BOB, "en", replace(scene, shape=shape)), 2)
        assert (labels(tree), words(tree).count(said)) == (["Pass"], 1)
    beside = parse(GAME.draw(fold, BOB, "en", replace(scene, shape="landscape")), 2)
    assert labels(beside) == [], "there the list has it"
