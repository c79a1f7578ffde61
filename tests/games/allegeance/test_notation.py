"""What people type."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.games.allegeance import GAME
from pbem.games.allegeance.cards import CARDS, Announce, Challenge, Give, LetPass, Table
from pbem.games.allegeance.notation import LONGEST
from pbem.kit.chance import SeedChance
from pbem.kit.contract import IllegalMove, Move, Unreadable
from pbem.kit.play import Table as Match
from pbem.kit.play import random_decisions
from tests.games.allegeance.worlds import TRIES

moves = st.one_of(
    st.builds(Announce, st.sampled_from(CARDS)),
    st.builds(Give, st.integers(0, 3)),
    st.sampled_from([Challenge(), LetPass()]),
)


@given(moves)
def test_every_move_reads_back_as_it_was_written(move: Move) -> None:
    for text in (GAME.format(move), GAME.format(move).upper(), f"  {GAME.format(move)}. "):
        assert GAME.parse(text) == move


@given(st.text() | st.text("abcdfmtb1234 '-announcegivpaschl"))
def test_whatever_is_typed_is_a_move_or_unreadable(text: str) -> None:
    try:
        move = GAME.parse(text)
    except Unreadable:
        return
    assert GAME.parse(GAME.format(move)) == move


def test_a_hint_comes_in_both_languages() -> None:
    with pytest.raises(Unreadable) as caught:
        GAME.parse("?")
    assert "annonce F1" in caught.value.hint["fr"]
    assert "announce F1" in caught.value.hint["en"]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("F1", "announce F1"),
        ("f 1", "announce F1"),
        ("1f", "announce F1"),
        ("t1", "announce T1"),
        ("Annonce : F1", "announce F1"),
        ("j’annonce le Fujiwara 1", "announce F1"),
        ("J'annonce Tachibana de rang 4 !", "announce B4"),
        ("I announce the Minamoto of rank 2", "announce M2"),
        ("Le Samouraï Taira de rang 1 entre au palais", "announce T1"),
        ("le 3 de Taira", "announce T3"),
        ("say M4", "announce M4"),
        ("fujiwara2", "announce F2"),
        ("give B", "give B"),
        ("GIVE b.", "give B"),
        ("donne à B", "give B"),
        ("donne a a", "give A"),
        ("Je donne la carte à C", "give C"),
        ("give the card to player D", "give D"),
        ("donner à la place A", "give A"),
        ("give it to seat B", "give B"),
        ("give F1 to B", "give B"),
        ("Donne le Tachibana 1 à B", "give B"),
        ("je donne T1 au joueur A", "give A"),
        ("giveB", "give B"),
        ("donneC", "give C"),
        ("announceT1", "announce T1"),
        ("annonceB 4", "announce B4"),
        ("Nommez F1", "announce F1"),
        ("je veux annoncer le Taira de rang un", "announce T1"),
        ("Minamoto three, please", "announce M3"),
        ("contest", "challenge"),
        ("chalenge", "challenge"),
        ("I want to challenge", "challenge"),
        ("je conteste : elle est au Palais", "challenge"),
        ("challenge", "challenge"),
        ("I challenge!", "challenge"),
        ("je conteste", "challenge"),
        ("Conteste l’annonce", "challenge"),
        ("oui", "challenge"),
        ("oui, je conteste", "challenge"),
        ("yes", "challenge"),
        ("pass", "pass"),
        ("Je passe", "pass"),
        ("laisser passer", "pass"),
        ("je laisse passer l'annonce", "pass"),
        ("let it pass", "pass"),
        ("non", "pass"),
        ("no", "pass"),
        ("je ne conteste pas", "pass"),
        ("I don't challenge", "pass"),
        ("Non, je ne conteste pas.", "pass"),
        ("décline", "pass"),
        ("no challenge", "pass"),
        ("je conteste pas.", "pass"),
        ("pas d’objection", "pass"),
        ("I do not want to challenge the announcement", "pass"),
        ("je ne veux pas contester", "pass"),
        ("no, I won’t challenge", "pass"),
    ],
)
def test_spellings(typed: str, written: str) -> None:
    assert GAME.format(GAME.parse(typed)) == written


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "hello",
        "F",
        "4",
        "F5",
        "X1",
        "F1 M2",
        "F12",
        "announce",
        "B",
        "give",
        "give E",
        "give B C",
        "give F2",
        "give B2",
        "challenge pass",
        "je ne passe pas",
        "oui non",
        "pas",
        "challenge F2",
        "no, I challenge!",
        "Non, je conteste !",
        "nope, challenge",
        "I challenge: it is not behind the Door",
        "it is not there, I challenge",
        "no, it is in the Palace",
        "non, elle est au Palais",
        "oui, elle est derrière la Porte",
        "give F1 B",
        "give B C to D",
        "give F1 M2 to D",
        "pass" + " " * LONGEST,
    ],
)
def test_what_is_not_clear_is_not_guessed(typed: str) -> None:
    with pytest.raises(Unreadable):
        GAME.parse(typed)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(0, 3), st.sampled_from(TRIES) | moves)
def test_whatever_is_moved_wherever_is_an_event_or_a_refusal(steps: int, seat: int, move: Move) -> None:
    table = Match(GAME, 3, Table(target=1), bytes([steps]) * 32)
    for at, _ in enumerate(random_decisions(table)):
        if at == steps:
            break
    legal = GAME.legal(table.state, seat) if seat < 3 else ()
    chance = SeedChance(bytes(32), 1, "decide")
    if move in legal:
        assert GAME.decide(table.state, seat, move, chance)
    else:
        with pytest.raises(IllegalMove) as caught:
            GAME.decide(table.state, seat, move, chance)
        assert caught.value.code in {*GAME.meta.refusals, "not_asked", "wrong_kind"}
