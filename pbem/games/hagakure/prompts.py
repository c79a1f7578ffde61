"""The questions and choices of Hagakure, addressed to the player."""

from collections.abc import Iterable

from pbem.games.hagakure import facts
from pbem.games.hagakure.facts import Nobori, State, is_warrior, name_of, next_seat, villagers_wanted, visible
from pbem.games.hagakure.rules import playable, winner_of
from pbem.games.hagakure.words import NO_BANNER, NOBORI_NAMES, card, effect, hand_of, name_card, this_trick
from pbem.kit.answers import rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang, Text
from pbem.kit.words import say, step


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns what the seat is asked, and the rules that bind it."""
    if ask.kind == "nobori":
        return say(
            lang,
            "Jouez une bannière pour cette manche, ou aucune.",
            "Play one banner for this round, or none.",
        )
    return _prompt_card(ask.seat, fold, lang)


def _prompt_card(seat: int, fold: State, lang: Lang) -> str:
    if not fold.trick:
        which = this_trick(fold, lang)
        return say(lang, f"Vous entamez le {which} : jouez ce que vous voulez.", f"You lead {which}: play any card.")
    led, leader, choice = card(fold.trick[0]), f"{{{fold.leader}}}", playable(fold, seat)
    if not is_warrior(fold.trick[0]):
        return say(
            lang,
            f"{leader} a entamé d’un villageois, {led} : jouez ce que vous voulez.",
            f"{leader} led a villager, {led}: play any card.",
        )
    if not any(map(is_warrior, choice)):
        return say(
            lang,
            f"{leader} a entamé avec {led}. Ni samouraï ni Vieux Fou : carte au choix.",
            f"{leader} led {led}. You have no samurai or Old Fool: play any card.",
        )
    return say(
        lang,
        f"{leader} a entamé avec {led} : jouez un samouraï ou un Vieux Fou.",
        f"{leader} led {led}: play a samurai or an Old Fool.",
    )


# --- moves -------------------------------------------------------------------------------------------------

_DOES: dict[Nobori, Text] = {
    "double": Text("vos points de la manche comptent double", "your points this round count twice"),
    "zero": Text("quoi qu’il arrive, 0 point dans cette manche", "whatever happens, you score 0 this round"),
    "villagers": Text("+2 si vos plis ont au moins {} villageois", "+2 if your tricks hold at least {} villagers"),
    "swap": Text("toute votre main contre le Yomi, sans le voir", "your whole hand for the Yomi, unseen"),
    "look": Text("vous seul voyez {}", "you alone see {}"),
}


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    match move:
        case facts.Raise(nobori):
            return _raise(nobori, str(villagers_wanted(fold.seats)), lang)
        case facts.Swap():
            return _raise("swap", "", lang)
        case facts.Look(None):
            return _raise("look", say(lang, "le Yomi", "the Yomi"), lang)
        case facts.Look(int(target)):
            return _raise("look", hand_of(target, lang), lang)
        case facts.Play(number):
            text = say(lang, "Vous jouez ", "You play ") + name_card(number, lang)
            return f"{text}.{_after_card(number, fold, lang)}"
    return say(lang, "Vous ne jouez pas de bannière dans cette manche.", "You play no banner this round.")


def _raise(nobori: Nobori, what: str, lang: Lang) -> str:
    """Returns the Nobori with its effect; `what` is the number of villagers, or what is looked at."""
    name, does = NOBORI_NAMES[nobori][lang], _DOES[nobori][lang].format(what)
    return say(lang, f"Vous jouez {name} : {does}.", f"You play {name}: {does}.")


def _after_card(number: int, fold: State, lang: Lang) -> str:
    """Tells who plays next, or who takes the trick that this card completes."""
    trick = (*fold.trick, number)
    if len(trick) < fold.seats:
        following = next_seat(fold.active, fold.seats)
        return say(lang, f" {{{following}}} joue ensuite.", f" {{{following}}} plays next.")
    winner = winner_of(trick, fold.leader)
    if winner == fold.active:
        return say(lang, " Le pli est à vous.", " The trick is yours.")
    return say(lang, f" Le pli est à {{{winner}}}.", f" {{{winner}}} takes the trick.")


# --- step by step ------------------------------------------------------------------------------------------


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Returns the steps to a move: one, and for a look a second one that names its target."""
    match move:
        case facts.Raise(nobori):
            return (_nobori(nobori, fold, lang),)
        case facts.Swap():
            return (_nobori("swap", fold, lang),)
        case facts.Look(None):
            return (_nobori("look", fold, lang), step("look-yomi", say(lang, "Le Yomi", "The Yomi"), lang))
        case facts.Look(int(target)):
            hand = say(lang, f"La main de {{{target}}}", f"{{{target}}}’s hand")
            return (_nobori("look", fold, lang), step(f"look-{seat_letter(target)}", hand, lang))
        case facts.Play(number):
            text = say(lang, "Jouer ", "Play ") + name_card(number, lang)
            return (step(f"play-{name_of(number)}", text, lang),)
    return (step("none", NO_BANNER[lang], lang),)


def _nobori(nobori: Nobori, fold: State, lang: Lang) -> Step:
    name, does = NOBORI_NAMES[nobori][lang], effect(nobori, fold.seats, lang)
    return step(nobori, say(lang, f"{name} : {does}", f"{name}: {does}"), lang)


def candidates(ask: Ask, fold: State, lang: Lang) -> Iterable[Candidate]:
    """Yields all five Nobori, or every card of the hand."""
    if ask.kind == "nobori":
        moves = (*map(facts.Raise, facts.SIGNS), facts.Swap(), facts.Look(None))
        for nobori, move in zip(facts.NOBORI, moves, strict=True):
            yield Candidate(NOBORI_NAMES[nobori][lang], move)
    else:
        for number in sorted(set(visible(fold.hands[ask.seat]))):
            yield Candidate(card(number), facts.Play(number))


# --- in short ----------------------------------------------------------------------------------------------


def pad(ask: Ask, fold: State, lang: Lang) -> Pad:
    """Returns the answers in short: the names of the Nobori that are left; the cards of the hand."""
    title = say(lang, "Jouez…", "Play…")
    if ask.kind == "nobori":
        names = (Cell(NOBORI_NAMES[nobori][lang], (_nobori(nobori, fold, lang),)) for nobori in fold.nobori[ask.seat])
        none = Cell(NO_BANNER[lang], path(facts.Keep(), fold, lang))
        return Pad(title, (*rows_of(names, 2), (none,)))
    may = playable(fold, ask.seat)
    hand = sorted(set(visible(fold.hands[ask.seat])))
    cells = (Cell(card(number), path(facts.Play(number), fold, lang) if number in may else None) for number in hand)
    note = "" if len(may) == len(hand) else _prompt_card(ask.seat, fold, lang)
    return Pad(title, rows_of(cells, 4), note)
