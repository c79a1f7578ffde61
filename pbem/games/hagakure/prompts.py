"""The questions and choices of Hagakure, addressed to the player."""

from collections.abc import Iterable

from pbem.games.hagakure import facts
from pbem.games.hagakure.facts import Nobori, State, is_warrior, name_of, next_seat, villagers_wanted, visible
from pbem.games.hagakure.rules import playable, winner_of
from pbem.games.hagakure.words import NOBORI_NAMES, card, effect, hand_of, name_card, pile, this_trick
from pbem.kit.answers import rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang, Text
from pbem.kit.words import OR, joined, say, step


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns what the seat is asked, and the rules that bind it."""
    if ask.kind == "nobori":
        return say(
            lang,
            "Vous pouvez jouer un Nobori dans cette manche, ou aucun ; chacun ne sert qu’une fois.",
            "You may play one Nobori this round, or none; each can be used once.",
        )
    return _prompt_card(ask.seat, fold, lang)


def _prompt_card(seat: int, fold: State, lang: Lang) -> str:
    if not fold.trick:
        which = this_trick(fold, lang)
        return say(
            lang, f"Vous entamez le {which} : jouez la carte que vous voulez.", f"You lead {which}: play any card."
        )
    led, leader, choice = card(fold.trick[0]), f"{{{fold.leader}}}", playable(fold, seat)
    if not is_warrior(fold.trick[0]):
        return say(
            lang,
            f"{leader} a entamé avec {led}, un villageois : jouez la carte que vous voulez.",
            f"{leader} led {led}, a villager: play any card.",
        )
    if not any(map(is_warrior, choice)):
        return say(
            lang,
            f"{leader} a entamé avec {led}. Vous n’avez ni samouraï ni Vieux Fou : jouez la carte que vous voulez.",
            f"{leader} led {led}. You have neither a samurai nor an Old Fool: play any card.",
        )
    these = joined(map(card, choice), lang, OR)
    return say(
        lang,
        f"{leader} a entamé avec {led} : vous devez jouer {these}, samouraï ou Vieux Fou.",
        f"{leader} led {led}: you must play {these}, a samurai or an Old Fool.",
    )


# --- moves -------------------------------------------------------------------------------------------------

_DOES: dict[Nobori, Text] = {
    "double": Text(
        "vos points de la manche comptent double (sans pli, −4)",
        "your points this round are doubled (without a trick, −4)",
    ),
    "zero": Text(
        "quoi qu’il arrive, vous marquez 0 point dans cette manche", "whatever happens, you score 0 points this round"
    ),
    "villagers": Text(
        "2 points de plus si vos plis ont {} villageois ou davantage",
        "2 more points if your tricks hold {} villagers or more",
    ),
    "swap": Text("vous donnez toute votre main contre le Yomi ({})", "you give your whole hand for the Yomi ({})"),
    "look": Text("vous voyez seul {}", "you alone see {}"),
}


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    match move:
        case facts.Raise(nobori):
            return _raise(nobori, str(villagers_wanted(fold.seats)), lang)
        case facts.Swap():
            return _raise("swap", pile(fold.yomi, lang), lang)
        case facts.Look(None):
            return _raise("look", say(lang, "les cartes du Yomi", "the cards of the Yomi"), lang)
        case facts.Look(int(target)):
            return _raise("look", hand_of(target, lang), lang)
        case facts.Play(number):
            text = say(lang, "Vous jouez ", "You play ") + name_card(number, lang)
            return f"{text}.{_after_card(number, fold, lang)}"
    return say(lang, "Vous ne jouez pas de Nobori dans cette manche.", "You play no Nobori this round.")


def _raise(nobori: Nobori, what: str, lang: Lang) -> str:
    """Returns the Nobori with its effect; `what` is the number or the cards of the effect."""
    name, does = NOBORI_NAMES[nobori][lang], _DOES[nobori][lang].format(what)
    return say(lang, f"Vous jouez le Nobori {name} : {does}.", f"You play the {name} Nobori: {does}.")


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
    return (step("none", say(lang, "Aucun Nobori", "No Nobori"), lang),)


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
        none = Cell(say(lang, "Aucun Nobori", "No Nobori"), path(facts.Keep(), fold, lang))
        return Pad(title, (*rows_of(names, 2), (none,)))
    may = playable(fold, ask.seat)
    hand = sorted(set(visible(fold.hands[ask.seat])))
    cells = (Cell(card(number), path(facts.Play(number), fold, lang) if number in may else None) for number in hand)
    note = "" if len(may) == len(hand) else _prompt_card(ask.seat, fold, lang)
    return Pad(title, rows_of(cells, 4), note)
