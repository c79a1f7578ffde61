"""The texts of Hogen: natural sentences that never name a card which the reader does not know."""

from collections.abc import Iterable, Iterator

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Call, Declare, Guess, Refuted
from pbem.games.samurai import CARDS, CLANS
from pbem.kit.contract import Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang
from pbem.render import phrases
from tests.games.discovered import LANGUAGES
from tests.games.hogen.tables import ALICE, BOB, CAROL, CHARLIE, Played
from tests.games.stage.words import events_with_folds
from tests.transcripts import seed_of

NBSP = "\u00a0"


def what_is_told(played: Played, viewer: Viewer, lang: Lang) -> list[str]:
    """The story so far, with plain spaces."""
    lines, before = [], None
    for event in played.events:
        seen = redact(event, viewer)
        lines.append(GAME.tell(seen, before, lang).replace(NBSP, " "))
        before = GAME.evolve(before, seen)
    return lines


def test_the_story_of_each_event_in_french() -> None:
    played = Played()
    for text in ("call F1", "call 4", "give B4 take M1", "call M", "declare A=F2 C=B1 D=B3"):
        if played.state.active == BOB and text == "call M":
            continue
        played.play(text)
    assert what_is_told(played, CAROL, "fr") == [
        "Palais : {M1}, {F4}, {T3} et {B2}. Chacun reçoit 3 cartes.",
        "{0} cache son alliée.",
        "{1} cache son alliée.",
        "{2} cache son alliée : {B1}.",
        "{3} cache son alliée.",
        "{0} commence, par tirage au sort.",
        "{0} appelle {F1}.",
        "{1} passe.",
        "{2} passe.",
        "{3} passe. Personne n’a répondu : {0} rejoue.",
        "{0} appelle le rang 4.",
        "{1} pose {B4} et prend {M1}.",
        "{1} déclare : {0} {F2}, {2} {B1}, {3} {B3}.",
        "C’est faux : {1} est hors jeu. À {2} de jouer.",
    ]
    assert what_is_told(played, BOB, "fr")[-1] == "{1} est hors jeu. En fait : {0} {F2}, {2} {B1}, {3} {M3}."


def test_the_story_of_each_event_in_english() -> None:
    played = Played(3)
    for text in ("declare B=F3 C=B1", "call 2", "give T2 take M1", "declare A=F2 B=F1"):
        played.play(text)
    assert what_is_told(played, CHARLIE, "en")[5:] == [
        "{0} declares: {1} {F3}, {2} {B1}.",
        "That is wrong: {0} is out. {1} is next.",
        "{1} calls for rank 2.",
        "{2} lays {T2} and takes {M1}.",
        "{2} declares: {0} {F2}, {1} {F1}.",
        "All of it is right: {2} wins. The allies are shown.",
    ]


def test_the_story_says_who_leads_after_a_seat_that_is_out_answered() -> None:
    played = Played()
    for text in ("declare B=F3 C=B1 D=M3", "call T1", "give T1 take M1"):
        played.play(text)
    assert what_is_told(played, CHARLIE, "fr")[-1] == "{0} pose {T1} et prend {M1}. À {1} de jouer."


def test_move_labels_describe_the_move_and_its_certain_consequence() -> None:
    played = Played()
    own = played.fold_of(ALICE)
    assert GAME.label(Call("B", 2), own, "fr").replace(NBSP, " ") == (
        "Vous appelez {B2}. Personne ne peut répondre : vous rejouerez."
    )
    assert GAME.label(Call(rank=4), own, "en") == ("You call for rank 4. {1} answers, or the next player who can.")
    declaration = Declare((Guess(1, "F1"), Guess(2, "B1"), Guess(3, "M3")))
    assert GAME.label(declaration, own, "en") == ("You declare {1} {F1}, {2} {B1}, {3} {M3}: you win or are out.")
    played.play("call 4")
    move = GAME.parse("give B4 take M1")
    assert GAME.label(move, played.fold_of(BOB), "fr") == "Vous posez {B4} et prenez {M1}. Ensuite, à vous d’appeler."


def test_a_label_names_who_must_answer_when_their_card_is_known() -> None:
    played = Played(first=ALICE)
    played.play("call 4")
    played.play("give B4 take M1")
    played.play("call T1")
    played.play("give T1 take F4")
    assert GAME.label(Call("M"), played.fold_of(ALICE), "fr") == "Vous appelez un Minamoto. {1} devra répondre."


def test_the_steps_of_each_move_are_safe_in_urls() -> None:
    played = Played()
    own = played.fold_of(ALICE)
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
    assert GAME.describe(played.fold_of(CAROL), CAROL, "en") == (
        "Palace: {M1}, {F4}, {T3} and {B2}.",
        "{0} calls for rank 3; {2} is to answer.",
        "{2} (seat C, you): hand {F3}, {T2}; ally {B1}.",
        "{3} (seat D): hand 2 unknown; ally unknown.",
        "{0} (seat A): hand 2 unknown; ally unknown.",
        "{1} (seat B): hand 2 unknown; ally unknown.",
        "Cards never seen: {F1}, {F2}, {M2}, {M3}, {M4}, {T1}, {T4}, {B3} and {B4}.",
        "Clans: F Fujiwara, M Minamoto, T Taira, B Tachibana; the digit is the rank.",
    )


def test_the_board_in_words_names_failed_calls_and_seats_that_are_out() -> None:
    played = Played()
    played.play("declare B=F3 C=B1 D=M3")
    played.play("call F4")
    text = "\n".join(GAME.describe(played.fold_of(BOB), BOB, "fr")).replace(NBSP, " ")
    assert "{0} (place A, hors jeu)" in text
    assert "Appels restés sans réponse : {F4}." in text


def test_every_card_of_hogen_has_a_symbol() -> None:
    assert tuple(GAME.meta.marks) == (*CARDS, *CLANS)


# --- for all matches ---------------------------------------------------------------------------------------

NAMES = ("Benjamin", "Isabelle", "Danielle", "Carolina")
"""Of eight letters."""
HEADLINE, NEWS, TWO_LINES = 26, 62, 75
"""The letters that the strip of a phone has room for: in its headline, in a line of news, in its two lowest rows."""
MATCHES = pytest.mark.parametrize("matches", [1, pytest.param(20, marks=pytest.mark.long)])


def random_tables(matches: int) -> Iterator[Table]:
    """This many random matches of each number of seats, before each of their decisions and at the end."""
    for seats in GAME.meta.seats:
        for number in range(matches):
            table = Table(GAME, seats, GAME.meta.options(), seed_of("words of hogen", seats, number))
            for _ in random_decisions(table):
                yield table
            yield table


def lines_too_long(lines: Iterable[str], most: int) -> list[str]:
    """Those of these lines that have too many letters, with the names filled in."""
    said = {phrases.phrase_text(line, NAMES) for line in lines}
    return sorted(line for line in said if len(line) > most)


@LANGUAGES
def test_question_titles_fit_one_line_of_a_phone(lang: Lang) -> None:
    assert lines_too_long((kind.title[lang] for kind in GAME.meta.asks.values()), HEADLINE) == []


@LANGUAGES
def test_refusals_fit_two_lines_of_a_phone(lang: Lang) -> None:
    assert (
        lines_too_long(
            (refusal.text[lang].replace("{card}", "M1") for refusal in GAME.meta.refusals.values()), TWO_LINES
        )
        == []
    )


@LANGUAGES
@MATCHES
def test_questions_and_chosen_moves_fit_two_lines_of_a_phone(matches: int, lang: Lang) -> None:
    asked, chosen = set[str](), set[str]()
    for table in random_tables(matches):
        for ask in GAME.pending(table.state):
            own = table.folds[ask.seat]
            asked.add(GAME.prompt(ask, own, lang))
            legal = GAME.legal(own, ask.seat)
            chosen |= {GAME.label(move, own, lang) for move in legal[:: max(1, len(legal) // 30)]}
    assert lines_too_long(asked, TWO_LINES) == []
    assert lines_too_long(chosen, TWO_LINES) == []
    assert any("hors jeu" in said or "are out" in said for said in asked), "those who are out are asked, too"
    assert len(chosen) > 100


@LANGUAGES
@MATCHES
def test_story_lines_fit_two_lines_of_the_news_strip(matches: int, lang: Lang) -> None:
    for table in [table for table in random_tables(matches) if GAME.outcome(table.state)]:
        for viewer in table.viewers:
            told = {
                type(event): GAME.tell(event, before, lang)
                for before, event, _ in events_with_folds(GAME, table, viewer)
            }
            own = told.pop(Refuted, "")  # its card shows it, too
            assert lines_too_long(told.values(), NEWS) == []
            assert lines_too_long([own], NEWS + 10) == []
