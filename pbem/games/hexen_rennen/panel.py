"""What stands below the course: whose turn it is, everybody's cards, one's own hand, the division of one's tiles."""

from pbem.games.hexen_rennen.board_words import BoardWords
from pbem.games.hexen_rennen.pieces import CARDS, CLANS, NUMBERS, STAGES, State
from pbem.games.hexen_rennen.strokes import box, clan_sign, linked, seal, symbol, text, tile
from pbem.rules.contract import Scene, Viewer

_LINE = 25
_CARD = (28, 40)


def panel(fold: State, viewer: Viewer, words: BoardWords, scene: Scene, top: float) -> tuple[str, float]:
    """The panel from this height on, and where it ends."""
    parts = [_now(fold, viewer, words, top)]
    y = top + 34
    if viewer is not None and not fold.turn:
        parts.append(_division(fold, viewer, words, scene, y))
        y += 30 + 54 * (STAGES + 1)
    for clan in range(len(CLANS)):
        parts.append(_cards(fold, clan, words, y))
        y += _LINE
    if viewer is not None and fold.turn:
        parts.append(_own(fold, viewer, words, scene, y))
        y += 96
    return "".join(parts), y + 6


def _now(fold: State, viewer: Viewer, words: BoardWords, top: float) -> str:
    """Whose turn it is with what die, or who has won."""
    said = text("nt b", 0, top + 20, _state(fold, viewer, words), 15)
    if fold.die is not None and fold.finisher is None:
        said += symbol(f"die-{fold.die}", 328, top, 30, 30)
    return said


def _state(fold: State, viewer: Viewer, words: BoardWords) -> str:
    if fold.finisher is not None:
        if len(fold.winners) > 1:
            return words.win_together
        return words.you_win if fold.winners[0] == viewer else _named(words.wins, fold.winners[0])
    if not fold.turn or fold.active is None:
        return words.all_divide
    if fold.asked is not None:
        return words.your_symbol if fold.asked == viewer else _named(words.symbol, fold.asked)
    return words.your_turn if fold.active == viewer and fold.witch is None else _named(words.turn, fold.active)


def _named(form: str, seat: int) -> str:
    return form.replace("*", f"{{{seat}:16}}")


def _cards(fold: State, clan: int, words: BoardWords, y: float) -> str:
    """A clan's line: its symbol and name, the cards it has left."""
    sign = box("pa", 0, y, 22, 22, 5) + clan_sign(clan, 2, y + 2, 18)
    if clan >= fold.seats:
        return sign + text("nt", 30, y + 16, f"{CLANS[clan]}, {words.neutral.format(len(fold.piles[clan]))}")
    cards = " \u00a0".join(fold.hands[clan]) or words.no_cards
    return sign + text("nt b", 30, y + 16, f"{{{clan}:13}}") + text("nt e", 360, y + 16, cards)


def _own(fold: State, viewer: int, words: BoardWords, scene: Scene, y: float) -> str:
    """The viewer's numbers by stage, and his hand, card by card."""
    parts = []
    stages = fold.stages[viewer]
    if stages is not None and stages[0][0] is not None:
        numbers = " · ".join(", ".join(map(str, three)) for three in stages)
        parts.append(text("nt", 0, y + 18, f"{words.your_stages}{words.colon}{numbers}"))
    played = [step[5:] for step in scene.chosen if step.startswith("card-")]
    hand = sorted((*fold.hands[viewer], *played), key=CARDS.index)
    heading = words.your_hand if hand else f"{words.your_hand}{words.colon}{words.no_cards}"
    parts.append(text("nt b", 0, y + 42, heading, 15))
    seen: set[str] = set()
    for i, card in enumerate(hand):
        parts.append(_card(card, 30.0 * i, y + 52, scene, card in seen))
        seen.add(card)
    return "".join(parts)


def _card(card: str, x: float, y: float, scene: Scene, again: bool) -> str:
    """A card of the hand; of equal ones the first can be touched."""
    width, height = _CARD
    drawn = box("pa", x, y, width, height, 5) + text("in b m", x + width / 2, y + 26, card, 18)
    link = scene.links.get(f"card-{card}")
    if f"card-{card}" in scene.chosen and not again:
        return box("se", x - 1, y - 1, width + 2, height + 6, 6) + drawn + seal(x + 12, y + 26, 18)
    if link is None or again:
        return drawn
    return linked(box("tg", x - 1, y - 1, width + 2, height + 6, 6) + drawn, link)


def _division(fold: State, viewer: int, words: BoardWords, scene: Scene, y: float) -> str:
    """The three stages with what was put there, and the numbers that are left."""
    placed: dict[int, int] = {}
    for stage, numbers in enumerate(fold.stages[viewer] or (), 1):
        placed |= {n: stage for n in numbers if n is not None}
    chosen = {int(n): int(stage) for stage, _, n in (s.partition("-") for s in scene.chosen) if stage.isdigit()}
    placed |= chosen
    parts = [text("nt b", 0, y + 18, words.your_tiles, 15)]
    left = [n for n in NUMBERS if n not in placed]
    for i, n in enumerate(left):
        x, top = 40.0 * i - 4, y + 28
        drawn = _scaled(f"{CLANS[viewer]}{n}", x, top)
        link = next((scene.links[s] for s in (f"{k}-{n}" for k in (1, 2, 3)) if s in scene.links), None)
        parts.append(linked(box("tg", x - 1, top - 1, 40, 44, 8) + drawn, link) if link else drawn)
    for stage in range(1, STAGES + 1):
        top = y + 28 + 54 * stage
        parts.append(text("nt b", 0, top + 25, words.stage.format(stage)))
        tiles = [*(str(n) for n, where in sorted(placed.items()) if where == stage), "S"]
        for i, value in enumerate(tiles):
            x = 76 + 46.0 * i
            frame = box("se", x - 1, top - 1, 40, 44, 8) if value != "S" and int(value) in chosen else ""
            parts.append(frame + _scaled(f"{CLANS[viewer]}{value}", x, top))
    return "".join(parts)


def _scaled(value: str, x: float, y: float) -> str:
    """A tile a little smaller than on the course."""
    return f'<g transform="translate({x:g},{y:g}) scale(.86)">{tile(value, 0, 0, None)}</g>'
