"""What a table may choose: the villagers' banner wants just so many of them (6.3)."""

import msgspec
from msgspec.structs import replace

from pbem.games.hagakure import GAME, bots, words
from pbem.games.hagakure.facts import Dealt, Raise, Scored, State, Terms, score
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import Card, PlayerView, Scene
from pbem.kit.texts import LANGS
from tests.games.hagakure.tables import ALICE, BOB, CAROL, CHARLIE, THREE, F, Played
from tests.harness.cases import cases

EXACT = Terms(villagers="exact")


def test_what_is_usual_is_written_as_before_there_was_a_choice() -> None:
    assert encode(Terms()) == b'{"extra_rounds":10,"rounds":null}'
    assert codec_for(GAME).options({"villagers": "least"}) == Terms()
    assert set(msgspec.to_builtins(Played(*THREE).events[0])) == {
        *("type", "number", "rounds", "last", "dealer", "hands", "yomi")
    }


# --- 6.3, R7 -----------------------------------------------------------------------------------------------


@cases("seats, wanted", [(3, 4), (4, 4), (5, 5)])
@cases("more, points", [(-1, 2), (0, 4), (1, 2), (3, 2)])
def test_just_so_many_villagers_score(seats: int, wanted: int, more: int, points: int) -> None:
    won = (*range(6, 6 + wanted + more), 19, F)
    assert score(2, won, "villagers", seats, exact=True) == points


@cases("terms, points", [(Terms(rounds=1), 8), (Terms(rounds=1, villagers="exact"), 6)])
def test_ten_villagers_score_only_where_more_are_allowed(terms: Terms, points: int) -> None:
    played = Played((18, 19, 20, 21, 22), THREE[0], THREE[1], dealer=CAROL, terms=terms)
    played.play("villagers", "none", "none", "22", "6", "11", "21", "7", "12", "20", "8", "13", "19", "9")
    events = played.play("14")
    assert next(event.points for event in events if isinstance(event, Scored))[ALICE] == points


def test_every_deal_of_such_a_match_says_so() -> None:
    played = Played(*THREE, terms=EXACT)
    dealt = played.events[0]
    assert isinstance(dealt, Dealt)
    assert dealt.exact
    assert b'"exact":true' in encode(dealt)
    assert all(played.fold_of(viewer).exact for viewer in (CHARLIE, ALICE))


@cases("lang", LANGS)
def test_the_banner_says_what_it_wants(lang: str) -> None:
    usual, exact = (Played(*THREE, terms=terms) for terms in (Terms(), EXACT))
    for played, said in (
        (usual, {"fr": "au moins 4", "en": "at least 4"}),
        (exact, {"fr": "exactement 4", "en": "exactly 4"}),
    ):
        assert said[lang] in GAME.label(Raise("villagers"), played.state, lang)  # type: ignore[arg-type]
    assert words.effect("villagers", usual.state, lang) != words.effect("villagers", exact.state, lang)  # type: ignore[arg-type]
    assert words.effect("double", usual.state, lang) == words.effect("double", exact.state, lang)  # type: ignore[arg-type]


def with_tricks(won: tuple[int, ...], terms: Terms = EXACT) -> State:
    """Three at the tricks: Alice has raised the villagers and won these cards."""
    state = Played(*THREE, dealer=CAROL, terms=terms).no_nobori().state
    return replace(state, raised=("villagers", None, None), won=(won, (), ()), tricks=(len(won) // 3, 0, 0))


@cases("won, said", [((6, 7, 8), "3≠4"), ((6, 7, 8, 9, 18, 19), "4=4"), ((6, 7, 8, 9, 10, 19), "5≠4")])
def test_the_board_compares_the_villagers_with_what_is_wanted(won: tuple[int, ...], said: str) -> None:
    assert f">{said}<" in GAME.draw(with_tricks(won), BOB, "en", Scene())
    assert f">{len([c for c in won if c < 18])}/4<" in GAME.draw(with_tricks(won, Terms()), BOB, "en", Scene())


def test_the_score_of_a_round_says_how_many_there_were() -> None:
    assert GAME.card is not None
    cards = (
        GAME.card(Scored((2, -2, -2)), with_tricks((6, 7, 8, 9, 10, 19), terms), CHARLIE, "en")
        for terms in (EXACT, Terms())
    )
    assert [card.lines[1] for card in cards if isinstance(card, Card)] == [
        "Banners: {0} Villagers (5; 4 wanted).",
        "Banners: {0} Villagers.",
    ]


@cases("terms, card", [(EXACT, "play V7"), (Terms(), "play S20")])
def test_a_bot_that_has_enough_villagers_leaves_others_to_the_others(terms: Terms, card: str) -> None:
    played = Played((22, 21, 20, 6, 7), (8, 9, 10, 14, 16), (11, 12, 13, 15, 17), dealer=CAROL, terms=terms)
    played.play("villagers", "none", "none", "22", "8", "11", "21", "9", "13", "6", "14", "15", "12")
    assert played.to_move == ALICE
    move = bots.greedy(PlayerView(played.fold_of(ALICE), 3), ALICE, SeedChance(bytes(32), 1, "bot"))
    assert GAME.format(move) == card, "she has four"
