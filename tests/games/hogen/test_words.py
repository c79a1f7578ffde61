"""What Hogen says: natural sentences, and never a card that the reader does not know."""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.cards import CARDS, Call, Declare, Guess
from pbem.kit.contract import LANGS, Lang, Viewer, ask_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from tests.games.hogen.tables import ALICE, BOB, CAROL, CHARLIE, Played

NBSP = "\u00a0"


def told(played: Played, viewer: Viewer, lang: Lang) -> list[str]:
    """The story so far, with plain spaces."""
    lines, before = [], None
    for event in played.events:
        seen = redact(event, viewer)
        lines.append(GAME.tell(seen, before, lang).replace(NBSP, " "))
        before = GAME.evolve(before, seen)
    return lines


def test_the_story_in_french() -> None:
    played = Played()
    for text in ("call F1", "call 4", "give B4 take M1", "call M", "declare A=F2 C=B1 D=B3"):
        if played.state.active == BOB and text == "call M":
            continue
        played.play(text)
    assert told(played, CAROL, "fr") == [
        "Le palais s’ouvre avec {M1}, {F4}, {T3} et {B2} ; chacun reçoit 3 cartes.",
        "{0} cache son alliée.",
        "{1} cache son alliée.",
        "{2} cache son alliée : {B1}.",
        "{3} cache son alliée.",
        "Le sort désigne {0} pour commencer.",
        "{0} appelle {F1}.",
        "{1} passe.",
        "{2} passe.",
        "{3} passe ; personne n’a répondu, {0} rejoue.",
        "{0} appelle un rang 4.",
        "{1} répond au rang 4, pose {B4} et prend {M1}.",
        "{1} déclare : {0} cache {F2}, {2} cache {B1}, {3} cache {B3}.",
        "C’est faux : {1} est hors jeu. {2} devient le joueur actif.",
    ]
    assert told(played, BOB, "fr")[-1] == (
        "C’est faux : {1} est hors jeu. {1} voit les vraies alliées : {0} cache {F2}, {2} cache {B1}, {3} cache {M3}. "
        "{2} devient le joueur actif."
    )


def test_the_story_in_english() -> None:
    played = Played(3)
    for text in ("declare B=F3 C=B1", "call 2", "give T2 take M1", "declare A=F2 B=F1"):
        played.play(text)
    assert told(played, CHARLIE, "en")[5:] == [
        "{0} declares: {1} hides {F3}, {2} hides {B1}.",
        "That is wrong: {0} is out. {1} becomes the active player.",
        "{1} calls for a rank 2.",
        "{2} answers the call for a rank 2, lays {T2} and takes {M1}.",
        "{2} declares: {0} hides {F2}, {1} hides {F1}.",
        "All of it is right, the allies are shown: {2} wins.",
    ]


def test_the_lead_is_told_when_whoever_is_out_answers() -> None:
    played = Played()
    for text in ("declare B=F3 C=B1 D=M3", "call T1", "give T1 take M1"):
        played.play(text)
    assert told(played, CHARLIE, "fr")[-1].endswith("pose {T1} et prend {M1}. {1} devient le joueur actif.")


def test_a_label_says_the_whole_move_and_what_follows_for_certain() -> None:
    played = Played()
    own = played.seen(ALICE)
    assert GAME.label(Call("B", 2), own, "fr").replace(NBSP, " ") == (
        "Vous appelez {B2}. Personne ne pourra répondre : vous appellerez de nouveau."
    )
    assert GAME.label(Call(rank=4), own, "en") == "You call for a rank 4. Whoever can answer must, {1} first."
    declaration = Declare((Guess(1, "F1"), Guess(2, "B1"), Guess(3, "M3")))
    assert GAME.label(declaration, own, "en") == (
        "You declare: {1} hides {F1}, {2} hides {B1}, {3} hides {M3}. "
        "If all of it is right you win; if not you are out."
    )
    played.play("call 4")
    move = GAME.parse("give B4 take M1")
    assert GAME.label(move, played.seen(BOB), "fr") == "Vous donnez {B4} et prenez {M1}. Ensuite, à vous d’appeler."


def test_a_label_names_who_must_answer_when_his_card_is_known() -> None:
    played = Played(first=ALICE)
    played.play("call 4")
    played.play("give B4 take M1")
    played.play("call T1")
    played.play("give T1 take F4")
    assert GAME.label(Call("M"), played.seen(ALICE), "fr") == "Vous appelez un Minamoto. {1} devra répondre."


def test_paths_are_steps_that_links_can_carry() -> None:
    played = Played()
    own = played.seen(ALICE)
    assert [s.text for s in GAME.path(GAME.parse("ally F1"), own, "fr")] == ["ally-F1"]
    assert [s.text for s in GAME.path(GAME.parse("call M1"), own, "fr")] == ["call-M1"]
    assert [s.text for s in GAME.path(GAME.parse("call 4"), own, "fr")] == ["call-4"]
    assert [s.text for s in GAME.path(GAME.parse("give F4 take T1"), own, "fr")] == ["give-F4", "take-T1"]
    steps = GAME.path(GAME.parse("declare B=F1 C=B1 D=B3"), own, "fr")
    assert [s.text for s in steps] == ["declare", "B=F1", "C=B1", "D=B3"]
    assert steps[1].label == f"{{1}}{NBSP}: {{F1}}"


def test_the_board_in_words_is_enough_to_play() -> None:
    played = Played()
    played.play("call 3")
    assert GAME.describe(played.seen(CAROL), CAROL, "en") == (
        "Palace: {M1}, {F4}, {T3} and {B2}.",
        "{0} calls for a rank 3; {2} is to answer.",
        "{2} (seat C, you): hand {F3}, {T2}; ally {B1}.",
        "{3} (seat D): hand 2 unknown; ally unknown.",
        "{0} (seat A): hand 2 unknown; ally unknown.",
        "{1} (seat B): hand 2 unknown; ally unknown.",
        "Cards never seen: {F1}, {F2}, {M2}, {M3}, {M4}, {T1}, {T4}, {B3} and {B4}.",
        "Clans: F Fujiwara, M Minamoto, T Taira, B Tachibana; the digit is the rank.",
    )


def test_failed_calls_and_who_is_out_are_in_the_description() -> None:
    played = Played()
    played.play("declare B=F3 C=B1 D=M3")
    played.play("call F4")
    text = "\n".join(GAME.describe(played.seen(BOB), BOB, "fr")).replace(NBSP, " ")
    assert "{0} (place A, hors jeu)" in text
    assert "Appels restés sans réponse : {F4}." in text


# --- for all matches ---------------------------------------------------------------------------------------


def some_tables() -> Iterator[Table]:
    """Random matches, some of them to the end."""
    for seats in (3, 4):
        for n in range(6):
            table = Table(GAME, seats, GAME.meta.options(), hashlib.sha256(f"words {seats} {n}".encode()).digest())
            for at, _ in enumerate(random_decisions(table)):
                if n < 3 and at == 20 + n:
                    break
            yield table


def named(text: str) -> set[str]:
    """The cards named in a text, in placeholders or bare."""
    return set(re.findall(r"\b[FMTB][1-4]\b", text))


def known(fold: Any) -> set[str]:
    """The cards whose place the fold knows."""
    return {*fold.palace, *(c for hand in fold.hands for c in hand), *fold.allies} - {None}


@pytest.mark.parametrize("lang", LANGS)
def test_no_word_names_a_card_that_the_fold_does_not_know(lang: Lang) -> None:
    for table in some_tables():
        for viewer in table.viewers:
            before = None
            for entry in table.entries:
                event = redact(entry.event, viewer)
                after = GAME.evolve(before, event)
                said = named(GAME.tell(event, before, lang))
                public = {g.card for g in event.allies} if hasattr(event, "allies") else set()
                wanted = {f"{event.clan}{event.rank}"} if hasattr(event, "clan") else set()
                wanted |= named(str(before and before.call and f"{before.call.clan}{before.call.rank}"))
                assert said <= known(after) | public | wanted
                lines = GAME.describe(after, viewer, lang)
                seats = [line for line in lines if re.match(r"\{\d\} \(", line)]
                assert len(seats) == table.seats
                assert named(" ".join(seats)) <= known(after)
                before = after


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_asked_of_a_seat_rests_on_its_own_fold(lang: Lang) -> None:
    for table in some_tables():
        for seat in range(table.seats):
            ask = ask_of(GAME, table.state, seat)
            if ask:
                own = table.folds[seat]
                failed = {f"{c.clan}{c.rank}" for c in own.failed}
                assert named(GAME.prompt(ask, own, lang)) <= {*own.hands[seat], own.allies[seat], *failed, called(own)}


def called(fold: Any) -> str | None:
    """The card that is called for, if one is."""
    return f"{fold.call.clan}{fold.call.rank}" if fold.call else None


def test_french_is_set_as_french_is() -> None:
    for table in some_tables():
        for seat in range(table.seats):
            own, before, texts = table.folds[seat], None, []
            for entry in table.entries:
                event = redact(entry.event, seat)
                texts.append(GAME.tell(event, before, "fr"))
                before = GAME.evolve(before, event)
            texts += GAME.describe(own, seat, "fr")
            ask = ask_of(GAME, own, seat)
            if ask:
                texts.append(GAME.prompt(ask, own, "fr"))
                texts += [GAME.label(move, own, "fr") for move in GAME.legal(own, seat)[:40]]
            for text in texts:
                assert not re.search(r"(?<!\u00a0)[:;?!»]|'|\u202f", text), text


def test_the_texts_about_the_game_are_set_as_french_is() -> None:
    meta = GAME.meta
    texts = [meta.title, meta.blurb, *meta.endings.values(), *(a.title for a in meta.asks.values())]
    texts += [refusal.text for refusal in meta.refusals.values()]
    for text in texts:
        assert not re.search(r"(?<!\u00a0)[:;?!»]|'|\u202f", text.fr), text.fr


def test_every_card_has_its_mark() -> None:
    assert tuple(GAME.meta.marks) == CARDS
