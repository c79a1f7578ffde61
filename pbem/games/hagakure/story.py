"""The story of Hagakure: every event in the third person, in both languages."""

from pbem.games.hagakure.facts import (
    BONUS,
    FOOL,
    SIGNS,
    Dealt,
    Ended,
    Hand,
    Kept,
    Looked,
    Played,
    Raised,
    Scored,
    Skipped,
    State,
    Swapped,
    TrickWon,
    is_warrior,
    known,
)
from pbem.games.hagakure.history import evolve, next_seat
from pbem.games.hagakure.rules import score
from pbem.games.hagakure.words import (
    AND,
    NOBORI_NAMES,
    card,
    cards,
    effect,
    points,
    round_name,
    seats,
    signed,
    trick_number,
)
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.notation import french


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, from the fold before it."""
    if isinstance(event, Dealt):
        return _dealt(event, evolve(before, event), lang)
    if before is None:
        return ""
    return french(_tell_fr(event, before)) if lang == "fr" else _tell_en(event, before)


def _tell_fr(event: Event, before: State) -> Phrase:
    match event:
        case Kept(seat):
            return f"{{{seat}}} ne joue pas de Nobori."
        case Skipped(seat):
            return f"{{{seat}}} n’a plus de Nobori."
        case Raised(seat, nobori):
            what = effect(nobori, before.seats, "fr")
            return f"{{{seat}}} joue le Nobori {NOBORI_NAMES['fr'][nobori]} : {what}."
        case Swapped(seat, drawn):
            return f"{{{seat}}} échange sa main contre le Yomi{_seen(drawn, ' et reçoit ', AND['fr'])}."
        case Looked(seat, target, seen):
            what = "le Yomi" if target is None else f"la main de {{{target}}}"
            return f"{{{seat}}} regarde {what}{_seen(seen, ' : ', AND['fr'])}."
        case Played():
            return _played(event, before, "fr")
        case TrickWon(seat):
            number, of = trick_number(before)
            bonus = f" {card(BONUS)} y est." if BONUS in before.trick else ""
            fools = " par le dernier Vieux Fou" if before.trick.count(FOOL) > 1 else ""
            return f"{{{seat}}} remporte le pli {number} sur {of}{fools}.{bonus}"
        case Scored(gained):
            return f"La manche donne {_gains(before, gained, 'fr')}. Totaux : {_shares(_added(before, gained))}."
        case Ended("points", (winner,)):
            return f"{{{winner}}} gagne avec {points(before.totals[winner], 'fr')}."
        case Ended(_, winners):
            return _shared(winners, before, "fr")
    return ""


def _tell_en(event: Event, before: State) -> Phrase:
    match event:
        case Kept(seat):
            return f"{{{seat}}} plays no Nobori."
        case Skipped(seat):
            return f"{{{seat}}} has no Nobori left."
        case Raised(seat, nobori):
            return f"{{{seat}}} plays the {NOBORI_NAMES['en'][nobori]} Nobori: {effect(nobori, before.seats, 'en')}."
        case Swapped(seat, drawn):
            return f"{{{seat}}} swaps hands with the Yomi{_seen(drawn, ' and gets ', AND['en'])}."
        case Looked(seat, target, seen):
            what = "the Yomi" if target is None else f"the hand of {{{target}}}"
            return f"{{{seat}}} looks at {what}{_seen(seen, ': ', AND['en'])}."
        case Played():
            return _played(event, before, "en")
        case TrickWon(seat):
            number, of = trick_number(before)
            bonus = f" {card(BONUS)} is in it." if BONUS in before.trick else ""
            fools = " with the last Old Fool" if before.trick.count(FOOL) > 1 else ""
            return f"{{{seat}}} takes trick {number} of {of}{fools}.{bonus}"
        case Scored(gained):
            return f"The round gives {_gains(before, gained, 'en')}. Totals: {_shares(_added(before, gained))}."
        case Ended("points", (winner,)):
            return f"{{{winner}}} wins with {points(before.totals[winner], 'en')}."
        case Ended(_, winners):
            return _shared(winners, before, "en")
    return ""


def _dealt(event: Dealt, after: State, lang: Lang) -> Phrase:
    """The deal, with the hand of the one whose eyes these are; before an extra round, why it is played."""
    name, first = round_name(after, lang), next_seat(event.dealer, after.seats)
    if after.number > after.rounds:
        best = max(after.totals)
        level = seats((seat for seat, total in enumerate(after.totals) if total == best), lang)
        name += f", car {level} sont à égalité" if lang == "fr" else f", for {level} are level"
    size = len(event.yomi)
    seen = [seat for seat, hand in enumerate(event.hands) if None not in hand]
    if lang == "fr":
        text = f"{name} : {{{event.dealer}}} distribue {size} cartes à chacun, {{{first}}} commence."
        mine = f" {{{seen[0]}}} reçoit {cards(known(event.hands[seen[0]]), AND[lang])}." if len(seen) == 1 else ""
        return french(text + mine)
    text = f"{name}: {{{event.dealer}}} deals {size} cards to everybody, {{{first}}} begins."
    return text + (f" {{{seen[0]}}} gets {cards(known(event.hands[seen[0]]), AND[lang])}." if len(seen) == 1 else "")


def _seen(hand: Hand, before: str, last: str) -> str:
    """The cards after these words, for those who see them."""
    return before + cards(known(hand), last) if None not in hand else ""


def _shared(winners: tuple[int, ...], before: State, lang: Lang) -> Phrase:
    """Who shares the victory, with how many points each, after extra rounds or without."""
    still = before.number > before.rounds
    those, total = seats(winners, lang), points(max(before.totals), lang)
    if lang == "fr":
        level = "Toujours à égalité" if still else "À égalité"
        return f"{level} avec {total}, {those} se partagent la victoire."
    return f"{'Still level' if still else 'Level'} with {total}, {those} share the victory."


def _gains(before: State, gained: tuple[int, ...], lang: Lang) -> Phrase:
    """Everybody's points of the round, and the Nobori where it changed them."""
    shares = []
    for seat, number in enumerate(gained):
        raised = before.raised[seat]
        plain = score(before.tricks[seat], before.won[seat], None, before.seats)
        why = f" ({NOBORI_NAMES[lang][raised]})" if raised in SIGNS and number != plain else ""
        shares.append(f"{{{seat}}} {signed(number)}{why}")
    return ", ".join(shares)


def _shares(numbers: tuple[int, ...]) -> Phrase:
    """Everybody's number."""
    return ", ".join(f"{{{seat}}} {signed(number)}" for seat, number in enumerate(numbers))


def _added(before: State, gained: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(before.totals, gained, strict=True))


def _played(event: Played, before: State, lang: Lang) -> Phrase:
    """A card led, followed, or the last of a hand; and what everybody sees in it."""
    fr = lang == "fr"
    seat, shown = f"{{{event.seat}}}", card(event.card)
    if event.card == FOOL:
        shown = f"un Vieux Fou, {shown}" if fr else f"an Old Fool, {shown}"
    if len(before.hands[event.seat]) == 1:
        return f"{seat} pose sa dernière carte : {shown}." if fr else f"{seat} lays the last card: {shown}."
    if not before.trick:
        return f"{seat} entame avec {shown}." if fr else f"{seat} leads {shown}."
    if is_warrior(before.trick[0]) and not is_warrior(event.card):
        if fr:
            return f"{seat} n’a ni samouraï ni Vieux Fou et joue {shown}."
        return f"{seat} has neither a samurai nor an Old Fool and plays {shown}."
    return f"{seat} joue {shown}." if fr else f"{seat} plays {shown}."
