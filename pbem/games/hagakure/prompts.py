"""The questions and choices of Hagakure, said to the player."""

from pbem.games.hagakure.facts import FOOL, Keep, Look, Play, Raise, State, Swap, is_warrior, known, villagers_wanted
from pbem.games.hagakure.history import next_seat
from pbem.games.hagakure.notation import format
from pbem.games.hagakure.rules import playable, winner_of
from pbem.games.hagakure.words import NOBORI_NAMES, OR, card, cards, effect, pile, trick_number
from pbem.kit.contract import Ask, Lang, Move, Phrase, Step
from pbem.kit.notation import french, seat_letter


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What the seat is asked and what binds it."""
    text = _prompt_nobori(ask.seat, fold, lang) if ask.kind == "nobori" else _prompt_card(ask.seat, fold, lang)
    return french(text) if lang == "fr" else text


def _prompt_nobori(seat: int, fold: State, lang: Lang) -> str:
    left = [NOBORI_NAMES[lang][nobori] for nobori in fold.nobori[seat]]
    hand = cards(known(fold.hands[seat]))
    if lang == "fr":
        return (
            f"Vous pouvez jouer un Nobori pour cette manche, ou aucun ; chacun ne sert qu’une fois. "
            f"Il vous reste : {', '.join(left)}. Votre main : {hand}."
        )
    return (
        f"You may play one Nobori for this round, or none; each can be used once. "
        f"You have left: {', '.join(left)}. Your hand: {hand}."
    )


def _prompt_card(seat: int, fold: State, lang: Lang) -> str:
    number, of = trick_number(fold)
    fr = lang == "fr"
    if not fold.trick:
        if fr:
            return f"Vous entamez le pli {number} sur {of} : jouez la carte que vous voulez."
        return f"You lead trick {number} of {of}: play any card."
    led = card(fold.trick[0])
    leader = f"{{{fold.leader}}}"
    if not is_warrior(fold.trick[0]):
        if fr:
            return f"{leader} a entamé avec {led}, un villageois : jouez la carte que vous voulez."
        return f"{leader} led {led}, a villager: play any card."
    choice = playable(fold, seat)
    if not any(is_warrior(number) for number in choice):
        if fr:
            return (
                f"{leader} a entamé avec {led}. Vous n’avez ni samouraï ni Vieux Fou : jouez la carte que vous voulez."
            )
        return f"{leader} led {led}. You have neither a samurai nor an Old Fool: play any card."
    if fr:
        return f"{leader} a entamé avec {led} : vous devez jouer {cards(choice, OR[lang])}, samouraï ou Vieux Fou."
    return f"{leader} led {led}: you must play {cards(choice, OR[lang])}, a samurai or an Old Fool."


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The whole move in a sentence, and what follows from it for certain."""
    if lang == "fr":
        return french(_label_fr(move, fold))
    return _label_en(move, fold)


def _label_fr(move: Move, fold: State) -> str:
    match move:
        case Keep():
            return "Vous ne jouez pas de Nobori dans cette manche."
        case Raise("double"):
            return "Vous jouez le Nobori Double : vos points de la manche comptent double (sans pli, −4)."
        case Raise("zero"):
            return "Vous jouez le Nobori Zéro : quoi qu’il arrive, la manche vous compte 0 point."
        case Raise():
            wanted = villagers_wanted(fold.seats)
            return (
                f"Vous jouez le Nobori Villageois : 2 points de plus si vos plis ont {wanted} villageois ou davantage."
            )
        case Swap():
            return (
                f"Vous jouez le Nobori Échange : vous donnez toute votre main contre le Yomi ({pile(fold.yomi, 'fr')})."
            )
        case Look(None):
            return "Vous jouez le Nobori Regard : vous voyez seul les cartes du Yomi."
        case Look(target):
            return f"Vous jouez le Nobori Regard : vous voyez seul la main de {{{target}}}."
        case Play(number):
            what = "un Vieux Fou, " if number == FOOL else ""
            return f"Vous jouez {what}{card(number)}.{_after_card(number, fold, 'fr')}"
    raise TypeError(f"{move} is no move of Hagakure")


def _label_en(move: Move, fold: State) -> str:
    match move:
        case Keep():
            return "You play no Nobori in this round."
        case Raise("double"):
            return "You play the Double Nobori: your points of the round count twice (without a trick, −4)."
        case Raise("zero"):
            return "You play the Zero Nobori: whatever happens, the round counts 0 points for you."
        case Raise():
            wanted = villagers_wanted(fold.seats)
            return f"You play the Villagers Nobori: 2 points more if your tricks hold {wanted} villagers or more."
        case Swap():
            return f"You play the Swap Nobori: you give your whole hand for the Yomi ({pile(fold.yomi, 'en')})."
        case Look(None):
            return "You play the Look Nobori: you alone see the cards of the Yomi."
        case Look(target):
            return f"You play the Look Nobori: you alone see the hand of {{{target}}}."
        case Play(number):
            what = "an Old Fool, " if number == FOOL else ""
            return f"You play {what}{card(number)}.{_after_card(number, fold, 'en')}"
    raise TypeError(f"{move} is no move of Hagakure")


def _after_card(number: int, fold: State, lang: Lang) -> str:
    """Who plays next, or who takes the trick that this card completes."""
    trick = (*fold.trick, number)
    if len(trick) < fold.seats:
        following = next_seat(fold.active, fold.seats)
        return f" {{{following}}} joue ensuite." if lang == "fr" else f" {{{following}}} plays next."
    winner = winner_of(trick, fold.leader)
    if winner == fold.active:
        return " Le pli est à vous." if lang == "fr" else " The trick is yours."
    return f" Le pli est à {{{winner}}}." if lang == "fr" else f" {{{winner}}} takes the trick."


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """The steps to a move: one, and a second for whom to look at."""
    fr = lang == "fr"
    names = NOBORI_NAMES[lang]
    match move:
        case Keep():
            return (Step("none", "Aucun Nobori" if fr else "No Nobori"),)
        case Raise(nobori):
            return (Step(nobori, _named(names[nobori], effect(nobori, fold.seats, lang), lang)),)
        case Swap():
            return (Step("swap", _named(names["swap"], effect("swap", fold.seats, lang), lang)),)
        case Look(target):
            step = Step("look", _named(names["look"], effect("look", fold.seats, lang), lang))
            if target is None:
                return (step, Step("look-yomi", "Le Yomi" if fr else "The Yomi"))
            return (
                step,
                Step(f"look-{seat_letter(target)}", f"La main de {{{target}}}" if fr else f"{{{target}}}’s hand"),
            )
        case Play(number):
            return (Step(format(move).replace(" ", "-"), _card_step(number, lang)),)
    raise TypeError(f"{move} is no move of Hagakure")


def _named(name: str, what: str, lang: Lang) -> Phrase:
    return french(f"{name} : {what}") if lang == "fr" else f"{name}: {what}"


def _card_step(number: int, lang: Lang) -> Phrase:
    if number == FOOL:
        return f"Jouer un Vieux Fou, {card(number)}" if lang == "fr" else f"Play an Old Fool, {card(number)}"
    return f"Jouer {card(number)}" if lang == "fr" else f"Play {card(number)}"
