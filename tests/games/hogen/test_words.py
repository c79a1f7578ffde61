"""The texts of Hogen: natural sentences that never name a card which the reader does not know."""

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Call, Declare, Guess
from pbem.games.samurai import CARDS, CLANS
from pbem.kit.contract import Viewer
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang
from tests.games.hogen.tables import ALICE, BOB, CAROL, CHARLIE, Played

NBSP = "\u00a0"


def what_is_told(played: Played, viewer: Viewer, lang: Lang) -> list[str]:
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
    assert what_is_told(played, CAROL, "fr") == [
        "Le palais s’ouvre avec {M1}, {F4}, {T3} et {B2} ; chacun reçoit 3 cartes.",
        "{0} cache son alliée.",
        "{1} cache son alliée.",
        "{2} cache son alliée : {B1}.",
        "{3} cache son alliée.",
        "{0} commence, par tirage au sort.",
        "{0} appelle {F1}.",
        "{1} passe.",
        "{2} passe.",
        "{3} passe ; personne n’a répondu, {0} rejoue.",
        "{0} appelle le rang 4.",
        "{1} répond au rang 4, pose {B4} et prend {M1}.",
        "{1} déclare : {0} cache {F2}, {2} cache {B1}, {3} cache {B3}.",
        "C’est faux : {1} est hors jeu. {2} devient le joueur actif.",
    ]
    assert what_is_told(played, BOB, "fr")[-1] == (
        "C’est faux : {1} est hors jeu. {1} voit les vraies alliées : {0} cache {F2}, {2} cache {B1}, {3} cache {M3}. "
        "{2} devient le joueur actif."
    )


def test_the_story_in_english() -> None:
    played = Played(3)
    for text in ("declare B=F3 C=B1", "call 2", "give T2 take M1", "declare A=F2 B=F1"):
        played.play(text)
    assert what_is_told(played, CHARLIE, "en")[5:] == [
        "{0} declares: {1} hides {F3}, {2} hides {B1}.",
        "That is wrong: {0} is out. {1} becomes the active player.",
        "{1} calls for rank 2.",
        "{2} answers the call for rank 2, lays {T2} and takes {M1}.",
        "{2} declares: {0} hides {F2}, {1} hides {F1}.",
        "All of it is right, and the allies are shown: {2} wins.",
    ]


def test_the_lead_is_told_when_the_player_who_is_out_answers() -> None:
    played = Played()
    for text in ("declare B=F3 C=B1 D=M3", "call T1", "give T1 take M1"):
        played.play(text)
    assert what_is_told(played, CHARLIE, "fr")[-1].endswith("pose {T1} et prend {M1}. {1} devient le joueur actif.")


def test_a_label_says_the_whole_move_and_what_follows_for_certain() -> None:
    played = Played()
    own = played.fold_of(ALICE)
    assert GAME.label(Call("B", 2), own, "fr").replace(NBSP, " ") == (
        "Vous appelez {B2}. Personne ne pourra répondre : vous appellerez de nouveau."
    )
    assert GAME.label(Call(rank=4), own, "en") == (
        "You call for rank 4. The first player who can answer must, starting with {1}."
    )
    declaration = Declare((Guess(1, "F1"), Guess(2, "B1"), Guess(3, "M3")))
    assert GAME.label(declaration, own, "en") == (
        "You declare: {1} hides {F1}, {2} hides {B1}, {3} hides {M3}. "
        "If all of it is right, you win; if not, you are out."
    )
    played.play("call 4")
    move = GAME.parse("give B4 take M1")
    assert GAME.label(move, played.fold_of(BOB), "fr") == "Vous donnez {B4} et prenez {M1}. Ensuite, à vous d’appeler."


def test_a_label_names_who_must_answer_when_their_card_is_known() -> None:
    played = Played(first=ALICE)
    played.play("call 4")
    played.play("give B4 take M1")
    played.play("call T1")
    played.play("give T1 take F4")
    assert GAME.label(Call("M"), played.fold_of(ALICE), "fr") == "Vous appelez un Minamoto. {1} devra répondre."


def test_paths_are_steps_that_links_can_carry() -> None:
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


def test_failed_calls_and_who_is_out_are_in_the_description() -> None:
    played = Played()
    played.play("declare B=F3 C=B1 D=M3")
    played.play("call F4")
    text = "\n".join(GAME.describe(played.fold_of(BOB), BOB, "fr")).replace(NBSP, " ")
    assert "{0} (place A, hors jeu)" in text
    assert "Appels restés sans réponse : {F4}." in text


def test_every_card_has_its_mark() -> None:
    assert tuple(GAME.meta.marks) == (*CARDS, *CLANS)
