"""The course of a drawn board of Hexen Rennen: start, 48 tiles there and back, and the goal.

It is drawn in layers, so that nothing hides what it stands on: the road; tiles with their frames; witches and what can
be touched; the cards that lead to a place; the seal; the numbers of the story.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board import tiles
from pbem.games.hexen_rennen.board.seats import draw_own_cards_left_in_two_rows
from pbem.games.hexen_rennen.board.tiles import draw_die
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.facts_race import COURSE, GOAL, points_at_place
from pbem.kit.contract import Link
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, linked, number, seal, spot_width, symbol, text

_TILE = 0.94
"""The side of a tile, from one to the next."""


@dataclass(frozen=True)
class Places:
    """Where everything lies: `pitch` is from tile to tile, `broom` the room between two stages."""

    left: float
    top: float
    pitch: float
    broom: float
    start: Box
    goals: Sequence[Box]
    """The three houses by value."""
    die: Box
    state: Box | None
    """Where it is written whose turn it is, if there is room."""
    between: Box | None = None
    """Between start and goal, where they are one above the other."""

    def box_of_tile(self, place: int) -> Box:
        """Returns the box of a tile; rows of eight run there and back."""
        stage, at = divmod(place - 1, 16)
        column, row = (at if at < 8 else 15 - at), stage * 2 + (at > 7)
        side = self.pitch * _TILE
        return Box(self.left + column * self.pitch, self.top + row * self.pitch + stage * self.broom, side, side)

    def box_of_place(self, place: int) -> Box:
        """Returns the box of a tile, of the start, or of a house in the goal."""
        if place == 0:
            return self.start
        return self.box_of_tile(place) if place <= COURSE else self.goals[place - COURSE - 1]


def layout_of_course(view: View, at: Box) -> Places:
    """Returns where everything lies: start and goal left of the course if the box is wide, else above and below."""
    sizes = view.sizes
    if at.tall:
        pitch = at.width / (8 - (1 - _TILE))
        above, below, large = sizes.name * 4.2, sizes.name * 3.5, sizes.name * 2.6
        course = 6 * pitch + 2 * (broom := pitch * 0.34) - pitch * (1 - _TILE)
        start = Box(
            at.x, at.y + sizes.name * 1.2, at.width - large - sizes.gap * 2, above - sizes.name * 1.2 - sizes.gap
        )
        goals = Box(at.x, at.y + above + course + sizes.gap * 2, at.width, below).columns(3, sizes.gap * 1.5)
        thrown = Box(at.right - large, at.y + (above - sizes.gap - large) / 2, large, large)
        return Places(at.x, at.y + above, pitch, broom, start, goals, thrown, Box(at.x, at.y, start.width, sizes.name))
    column, gap = sizes.touch * 2.5, sizes.gap * 1.7
    pitch = min((at.width - column - gap) / (8 - (1 - _TILE)), at.height / 6.6)
    broom = min(pitch * 0.42, (at.height - pitch * (6 - (1 - _TILE))) / 2)
    course = 6 * pitch + 2 * broom - pitch * (1 - _TILE)
    top, left = at.y + (at.height - course) / 2, at.right - (8 - (1 - _TILE)) * pitch
    wide = left - gap - at.x
    high = pitch * 1.08
    foot = top + course
    goals = [Box(at.x, foot - (n + 1) * high - n * sizes.gap, wide, high) for n in range(3)]
    start = Box(at.x, top, wide, sizes.text * 1.2 + (7.9 if pitch > 60 else 4) * sizes.text)
    upper, lower, large = start.bottom + sizes.gap, goals[2].y - sizes.name * 1.4, sizes.mark * 1.4
    between = Box(at.x, upper, wide, lower - upper)
    thrown = Box(at.x + (wide - large) / 2, (upper + lower - large) / 2, large, large)
    return Places(left, top, pitch, broom, start, goals, thrown, None, between)


# --- layers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layers:
    """The drawing so far, from the ground up."""

    ground: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    """Pieces that are framed, above their neighbours."""
    persons: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    discs: list[str] = field(default_factory=list)
    seals: list[str] = field(default_factory=list)
    spots: list[str] = field(default_factory=list)

    def draw(self) -> str:
        layers = (self.ground, self.marked, self.persons, self.links, self.discs, self.seals, self.spots)
        return "".join("".join(layer) for layer in layers)


def draw_course(view: View, at: Box, *, compact: bool) -> str:
    """Draws start, course and goal, and the die or, if `compact`, the viewer's own cards in its place."""
    where, layers = layout_of_course(view, at), _Layers()
    layers.ground.append(_draw_road(where))
    _add_start(view, where, layers)
    for place in range(1, COURSE + 1):
        _add_tile(view, where, place, layers)
    for place in range(COURSE + 1, GOAL + 1):
        _add_house(view, where, place, layers)
    if where.state is not None:
        said, size = where.state, view.sizes.name
        layers.ground.append(text("nt b", said.x, said.y + size * 0.85, view.turn_or_winner_in_words, size))
    else:
        top, sign = where.goals[2], words.GOAL_SIGN[view.lang]
        layers.ground.append(text("nt b m", top.x + top.width / 2, top.y - view.sizes.gap, sign, view.sizes.name))
    if compact and where.between is not None and view.viewer is not None and not view.plays_card:
        layers.persons.append(draw_own_cards_left_in_two_rows(view, view.viewer, where.between))
    elif (view.plays_card or not compact) and view.fold.die is not None and view.fold.finisher is None:
        layers.persons.append(draw_die(view.fold.die, where.die.x, where.die.y, where.die.width))
    return layers.draw()


def _draw_road(where: Places) -> str:
    """Draws the path under the tiles, and the two broomsticks between the stages."""
    ends = [where.box_of_tile(place) for row in range(6) for place in (row * 8 + 1, row * 8 + 8)]
    points = " L".join(f"{number(end.x + end.width / 2)},{number(end.y + end.width / 2)}" for end in ends)
    stroke = f'stroke-width="{number(where.pitch * 0.62)}" stroke-linejoin="round" stroke-linecap="round"'
    drawn = f'<path class="pt" d="M{points}" {stroke}/>'
    wide, middle = where.pitch * 3.2, where.left + where.pitch * 4
    for stage in (1, 2):
        y = where.box_of_tile(16 * stage + 1).y - (where.broom + where.pitch * (1 - _TILE)) / 2
        drawn += symbol("broom", middle - wide / 2, y - wide * 0.06, wide, wide * 0.12)
    return drawn


# --- marks -------------------------------------------------------------------------------------------------


def _draw_frame_around(view: View, at: Box, classes: str) -> str:
    """Draws the frame of a place, deeper at its foot."""
    edge = view.sizes.frame * 0.8
    return box(classes, *at.around(edge, view.sizes.foot * 0.75), 9)


def _draw_place_as_link(view: View, at: Box, link: Link, drawn: str) -> str:
    """Makes a link of the place with all that is on it, in the frame of what can be touched."""
    return linked(drawn, link, _draw_frame_around(view, at, "tg"))


def _link_place_without_frame(view: View, at: Box, link: Link, person: str) -> str:
    """Makes a link of the place with the person on it, without a frame; the pieces under it are drawn before."""
    edge = view.sizes.frame * 0.8
    wide, high = at.width + 2 * edge, at.height + edge + view.sizes.foot * 0.75
    return linked(person, link, box("ng", at.x - edge, at.y - edge, wide, high, 9, ' fill-opacity="0"'))


def _link_without_tab_stop(link: Link) -> Link:
    """Returns the link to what is touched elsewhere, too: a keyboard then reaches it there alone."""
    return replace(link, in_tab_order=False)


def _is_chosen_place(view: View, place: int) -> bool:
    return place == view.landing_of_chosen_move or (view.has_chosen_to_play_no_card and place == view.fold.witch)


def _add_place(view: View, place: int, at: Box, drawn: str, person: str, layers: _Layers) -> None:
    """Puts a place into the layers, framed and linked if it was chosen or can be touched.

    A place whose witch cannot move leads to the reason, without a frame.
    """
    cards, landing = view.touchable_card_by_target.get(place), view.flight_link_by_landing.get(place)
    link, refused = view.link(f"fly-{place}"), view.refusal(f"fly-{place}")
    if place == view.fold.witch and view.fold.asked is not None:
        leave, kept = view.link("leave"), view.refusal("leave")
        link, refused = leave and _link_without_tab_stop(leave), kept and _link_without_tab_stop(kept)
    if _is_chosen_place(view, place):
        layers.marked.append(_draw_frame_around(view, at, "se") + drawn)
        layers.persons.append(person)
        return
    if cards is not None:
        layers.marked.append(
            _draw_place_as_link(view, at, _link_without_tab_stop(view.scene.links[f"card-{cards}"]), drawn + person)
        )
    elif link is not None and place != view.place_left_by_chosen_move:
        layers.marked.append(_draw_place_as_link(view, at, link, drawn + person))
    elif landing is not None:
        layers.marked.append(drawn + tiles.draw_dashed_frame("ml", at.inside(-0.5)))
        layers.links.append(_link_place_without_frame(view, at, _link_without_tab_stop(landing), person))
    elif place == view.place_left_by_chosen_move:
        layers.marked.append(
            box("ng", at.x - 2, at.y - 2, at.width + 4, at.height + 4, 8) + drawn + tiles.draw_dashed_frame("sn", at)
        )
        layers.persons.append(person)
    else:
        fresh = place in view.latest_story_by_place and view.latest_story_by_place[place] == max(
            view.latest_story_by_place.values()
        )
        edge = view.sizes.frame * 0.8
        washed = box("fh", *at.around(edge), 9) if fresh else ""
        (layers.marked if fresh else layers.ground).append(washed + drawn)
        if refused is None:
            layers.persons.append(person)
        else:
            layers.links.append(_link_place_without_frame(view, at, refused, person))


# --- start, tiles, goal ------------------------------------------------------------------------------------


def _add_start(view: View, where: Places, layers: _Layers) -> None:
    """Adds the start, with the witches that have not left yet."""
    at, sizes = where.start, view.sizes
    waiting = {view.clan(seat): three.count(0) for seat, three in enumerate(view.fold.witches) if three.count(0)}
    drawn, sign = tiles.draw_region_ground(at), words.START[view.lang]
    if at.tall or at.width < at.height * 3:
        drawn += text("nt b m", at.x + at.width / 2, at.y + sizes.name * 1.05, sign, sizes.name)
        room = Box(at.x, at.y + sizes.name * 1.3, at.width, at.height - sizes.name * 1.3 - sizes.gap * 0.5)
    else:
        drawn += text("nt b", at.x + sizes.gap * 1.5, at.y + at.height / 2 + sizes.name * 0.35, sign, sizes.name)
        first = sizes.name * 3.9
        room = Box(at.x + first, at.y, at.width - first - sizes.gap, at.height)
    if not waiting:
        middle = room.x + room.width / 2, room.y + room.height / 2 + sizes.text * 0.35
        drawn += text("nt m", *middle, words.NOBODY[view.lang], sizes.text)
    _add_place(view, 0, at, drawn, tiles.draw_witches_in_box(waiting, room, sizes.text), layers)


def _add_tile(view: View, where: Places, place: int, layers: _Layers) -> None:
    """Draws a tile, its witch and its marks."""
    fold, at, sizes = view.fold, where.box_of_tile(place), view.sizes
    shown, seat = fold.shown[place - 1], view.owner_of_witch_by_tile.get(place)
    chosen, story = _is_chosen_place(view, place), view.latest_story_by_place.get(place)
    # The seal or the number of the story is where the position would be.
    covered, card = chosen or story is not None, view.touchable_card_by_target.get(place)
    if shown is None:
        occupied = seat is not None or card is not None
        drawn = tiles.draw_tile_face_down(at, place, sizes.text, fold.tiles[place - 1], occupied=occupied)
    else:
        drawn = tiles.draw_tile(shown, at, sizes.text, None if covered else place, occupied=seat is not None)
    person = "" if seat is None else tiles.draw_witch(view.clan(seat), *tiles.place_of_witch_on_tile(at))
    _add_place(view, place, at, drawn, person, layers)
    unit = at.width / 44
    if card is not None and not chosen:
        layers.discs.append(tiles.draw_card_in_disc(card, at.x + 33 * unit, at.y + 32 * unit, 10 * unit, sizes.text))
    size = min(sizes.seal, at.width * 0.5)
    if chosen:
        layers.seals.append(seal(at.x - 3 * unit, at.bottom - size + 4 * unit, size))
    elif story is not None:
        size = min(sizes.spot, at.width * 0.46) * (0.88 if story > 99 else 1)
        top = at.bottom + 3 * unit - spot_width(story, size)  # more digits grow upwards, but never up to the value
        layers.spots.append(view.spot(story, at.x - 3 * unit, top, size))


def _add_house(view: View, where: Places, place: int, layers: _Layers) -> None:
    """Draws a house of straw with its value and the witches that have arrived there."""
    at, sizes = where.box_of_place(place), view.sizes
    counts = {view.clan(seat): three.count(place) for seat, three in enumerate(view.fold.witches) if three.count(place)}
    size = sizes.name * (1.35 if counts else 1.8)
    line = at.y + (at.height * 0.08 + size * 0.85 if counts else at.height * 0.64 + size * 0.3)
    drawn = tiles.draw_straw_house(at) + text("sx b m", at.x + at.width / 2, line, str(points_at_place(place)), size)
    top = at.y + at.height * 0.1 + size * 0.9
    room = Box(at.x, top, at.width, at.bottom - top)
    _add_place(view, place, at, drawn, tiles.draw_witches_in_box(counts, room, sizes.text), layers)
    # The sky beside the roof is free.
    card, story, high = view.touchable_card_by_target.get(place), view.latest_story_by_place.get(place), sizes.spot
    if _is_chosen_place(view, place):
        layers.seals.append(seal(at.right - sizes.seal, at.y + 1, sizes.seal))
    elif card is not None:
        layers.discs.append(
            tiles.draw_card_in_disc(card, at.right - high * 0.55, at.y + high * 0.6, high * 0.55, sizes.text)
        )
    if story is not None:
        layers.spots.append(view.spot(story, at.x - sizes.gap * 0.8, at.y + 1, high))
