"""What is typed and said in Hunch, in both languages."""

import re

from pbem.kit.contract import Ask, Event, Move, Phrase, Step, Viewer
from pbem.kit.notation import plain_text, understand
from pbem.kit.texts import Lang
from pbem.kit.words import T, say, seat_and_place, seen_from, step

from .facts import Guess, Guessed, Rolled, State, Wait

HINT = T("Écrivez par exemple : B4, ou : rien.", "Write for example: B4, or: wait.")


def parse(text: str, seat: int | None = None) -> Move:
    """The move that the text means."""
    return understand(text, _read, HINT)


def _read(text: str) -> Move | None:
    plain = plain_text(text)
    found = re.fullmatch("([abc]) ?([1-9])", plain)
    if found:
        return Guess("abc".index(found[1]), int(found[2]))
    return Wait() if plain in ("wait", "rien") else None


def format(move: Move) -> str:
    """The move in short notation."""
    return f"{'ABC'[move.cup]}{move.die}" if isinstance(move, Guess) else "wait"


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates an event."""
    match event:
        case Guessed(seat, cup, die, right):
            said = say(lang, "avec raison", "rightly") if right else say(lang, "à tort", "wrongly")
            return say(
                lang, f"{{{seat}}} dit {die} chez {{{cup}}}, {said}.", f"{{{seat}}} says {die} at {{{cup}}}, {said}."
            )
        case Rolled(seat):
            return say(lang, f"{{{seat}}} relance son dé.", f"{{{seat}}} rolls again.")
    return ""


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What is asked."""
    return say(lang, "Devinez un dé, ou attendez.", "Guess a die, or wait.")


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The move in a sentence."""
    if not isinstance(move, Guess):
        return say(lang, "Vous ne dites rien.", "You say nothing.")
    return say(lang, f"Vous dites {move.die} chez {{{move.cup}}}.", f"You say {move.die} at {{{move.cup}}}.")


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """The steps to a move."""
    if not isinstance(move, Guess):
        return (step("wait", say(lang, "Ne rien dire", "Say nothing"), lang),)
    cup = step(f"cup-{move.cup}", say(lang, f"Chez {{{move.cup}}}", f"At {{{move.cup}}}"), lang)
    return (cup, step(f"die-{move.die}", say(lang, f"Un {move.die}", f"A {move.die}"), lang))


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """The board in words."""
    shown = (
        f"{seat_and_place(seat, viewer, lang)} : {fold.dice[seat] or '?'}" for seat in seen_from(viewer, len(fold.dice))
    )
    return [*shown, say(lang, f"Tour {fold.turn} sur la table.", f"Turn {fold.turn} at the table.")]
