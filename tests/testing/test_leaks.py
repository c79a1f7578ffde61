"""The law of leaks in our games: it says nothing of them as they are, and finds whatever is made public."""

import pytest

from pbem.games import find_game
from pbem.kit.chance import KeyLuck, SeedChance
from pbem.kit.contract import AnyGame
from pbem.testing.check import matches_to_check
from pbem.testing.leaks import Leaks
from pbem.testing.records import play_random_match
from tests.games.discovered import GAMES
from tests.testing.planting import Plant, plant

__all__ = ["plant"]


def leaks_in(game: AnyGame, matches: int) -> set[str]:
    """Returns the fields that leak in this many matches."""
    return {*look_for_leaks(game, matches).found}


def look_for_leaks(game: AnyGame, matches: int) -> Leaks:
    """Looks for leaks in this many matches."""
    leaks = Leaks(game)
    for seats, options, seed in matches_to_check(game, matches):
        leaks.look_at_setup(seats, options, KeyLuck(seed).rules(1))
        if not leaks.found:  # where the deal is public, folds break before anything else can leak
            leaks.look_at_match(play_random_match(game, seats, options, seed), SeedChance(seed, 1, "bot"))
    return leaks


@pytest.mark.parametrize("matches", [6, pytest.param(200, marks=pytest.mark.long)], ids=["", "many"])
@GAMES
def test_no_built_in_game_leaks_a_hidden_field(game: AnyGame, matches: int) -> None:
    assert leaks_in(game, matches) == set()


def test_the_leak_check_doubts_no_shuffled_pile_even_after_few_matches() -> None:
    game = find_game("hexen-rennen")
    assert game is not None
    leaks = Leaks(game)
    for number in range(2100, 2104):
        seed = number.to_bytes(32, "big")
        leaks.look_at_match(play_random_match(game, 2, game.meta.options(), seed), SeedChance(seed, 1, "bot"))
    assert leaks.claims.doubtful == set()  # a neutral clan's pile is drawn at once, and each turn has a die


FADES = 'fades(unless="open")]'


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("game", "field", "before", "after"),
    [
        ("hogen", "AllyChosen.card", "card: Own[Card | None]", "card: Open[Card | None]"),
        ("hogen", "Refuted.truth", f'truth: Annotated[Truth, to("seat"), {FADES}', "truth: Open[Truth]"),
        ("hagakure", "Played.card", "card: Shown[deck.Card]", "card: Open[deck.Card]"),
        ("hogen", "Dealt.hands", f"hands: Annotated[Hands, each(), {FADES}", "hands: Open[Hands]"),
        ("hogen", "Exchanged.given", f"given: Annotated[Card | None, {FADES}", "given: Open[Card | None]"),
        ("hogen", "Exchanged.taken", f"taken: Annotated[Card | None, {FADES}", "taken: Open[Card | None]"),
        ("hagakure", "Looked.cards", "cards: Own[deck.Hand]", "cards: Open[deck.Hand]"),
        ("hagakure", "Swapped.drawn", "drawn: Own[deck.Hand]", "drawn: Open[deck.Hand]"),
        ("hexen_rennen", "Divided.stages", "stages: Own[race.Division]", "stages: Open[race.Division]"),
        ("hexen_rennen", "Turned.tile", "tile: Shown[race.Tile]", "tile: Open[race.Tile]"),
        ("hexen_rennen", "Opened.piles", "piles: Hidden[Annotated[", "piles: Open[Annotated["),
        ("niigata", "Thrown.display", "display: Shown[Tiles]", "display: Open[Tiles]"),
        ("niigata", "LaidOut.stock", "stock: Hidden[Annotated[", "stock: Open[Annotated["),
        ("allegeance", "Answered.challenge", "challenge: Own[bool | None]", "challenge: Open[bool | None]"),
        ("allegeance", "RoundBegan.door", "door: Hidden[Whole]", "door: Open[Whole]"),
    ],
)
def test_the_leak_check_finds_a_field_made_public(plant: Plant, game: str, field: str, before: str, after: str) -> None:
    found = find_game(plant("facts.py", before, after, game))
    assert found is not None
    assert field in leaks_in(found, 30)


@pytest.mark.parametrize("word", ["Open", "Shown"])
def test_an_event_that_tells_something_by_occurring_is_a_hint_unless_shown(plant: Plant, word: str) -> None:
    passed = '"""A seat has no card that fits (5.1)."""\n\n    seat: Open[Seat]'
    found = find_game(plant("facts.py", passed, passed.replace("Open", word), "hogen"))
    assert found is not None
    leaks = look_for_leaks(found, 12)
    assert ("Passed" in leaks.doubtful) == (word == "Open")
    assert not [fault for fault in leaks.faults() if "Passed" in fault.said]
