"""The story of Hagakure: every event in the third person, in both languages."""

from pbem.games.hagakure import facts, words
from pbem.games.hagakure.facts import BONUS, FOOL, SIGNS, Dealt, Hand, Played, State, is_warrior, known
from pbem.games.hagakure.history import evolve, next_seat
from pbem.games.hagakure.rules import score
from pbem.games.hagakure.words import card, spoken
from pbem.kit.contract import Event, Phrase
from pbem.kit.texts import Lang
from pbem.kit.words import joined, put_in, say, seats_joined, signed


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it."""
    if isinstance(event, Dealt):
        return _dealt(event, evolve(before, event), lang)
    assert before is not None, "only the deal has nothing before it"
    match event:
        case Played():
            return _played(event, before, lang)
        case facts.TrickWon(seat):
            return _trick_won(seat, before, lang)
        case facts.Scored(gained):
            return _scored(gained, before, lang)
        case facts.Ended(_, winners):
            return _ended(winners, before, lang)
    return _nobori(event, before, lang)


# --- a round -----------------------------------------------------------------------------------------------


def _dealt(event: Dealt, after: State, lang: Lang) -> Phrase:
    """Tells of the deal, with the viewer's own hand; before an extra round, why it is played."""
    name, first, size = words.round_name(after, lang), next_seat(event.dealer, after.seats), len(event.yomi)
    if after.number > after.rounds:
        best = max(after.totals)
        level = seats_joined((seat for seat, total in enumerate(after.totals) if total == best), lang)
        name += say(lang, f", car {level} sont à égalité", f", because {level} are tied")
    text = say(
        lang,
        f"{name} : {{{event.dealer}}} distribue {size} cartes à chacun, {{{first}}} commence.",
        f"{name}: {{{event.dealer}}} deals {size} cards to everyone, {{{first}}} begins.",
    )
    own_seats = [seat for seat, hand in enumerate(event.hands) if None not in hand]
    if len(own_seats) != 1:
        return text
    gets = say(lang, f" {{{own_seats[0]}}} reçoit ", f" {{{own_seats[0]}}} gets ")
    return f"{text}{_with_cards(event.hands[own_seats[0]], gets, lang)}."


def _nobori(event: Event, before: State, lang: Lang) -> Phrase:
    match event:
        case facts.Kept(seat):
            return say(lang, f"{{{seat}}} ne joue pas de Nobori.", f"{{{seat}}} plays no Nobori.")
        case facts.Skipped(seat):
            return say(lang, f"{{{seat}}} n’a plus de Nobori.", f"{{{seat}}} has no Nobori left.")
        case facts.Raised(seat, nobori):
            name, does = words.NOBORI_NAMES[nobori][lang], words.effect(nobori, before.seats, lang)
            text = say(lang, f"joue le Nobori {name} : {does}", f"plays the {name} Nobori: {does}")
            return f"{{{seat}}} {text}."
        case facts.Swapped(seat, drawn):
            text = say(lang, "échange sa main contre le Yomi", "swaps their hand for the Yomi")
            return f"{{{seat}}} {text}{_with_cards(drawn, say(lang, ' et reçoit ', ' and gets '), lang)}."
        case facts.Looked(seat, target, seen):
            what = say(lang, "le Yomi", "the Yomi") if target is None else words.hand_of(target, lang)
            text = say(lang, f"regarde {what}", f"looks at {what}")
            return f"{{{seat}}} {text}{_with_cards(seen, say(lang, ' : ', ': '), lang)}."
    raise TypeError(f"{event} is no event of Hagakure")


def _with_cards(hand: Hand, before: str, lang: Lang) -> Phrase:
    """These words and then the cards, for viewers who see them."""
    return "" if None in hand else before + joined(map(card, known(hand)), lang)


def _played(event: Played, before: State, lang: Lang) -> Phrase:
    """Tells which card was played and how: led, after others, or as the last of a hand; and what it shows to all."""
    who, shown = put_in(event.seat), spoken(event.card, lang)
    if len(before.hands[event.seat]) == 1:
        return say(lang, f"{who} pose sa dernière carte : {shown}.", f"{who} plays their last card: {shown}.")
    if not before.trick:
        return say(lang, f"{who} entame avec {shown}.", f"{who} leads {shown}.")
    if is_warrior(before.trick[0]) and not is_warrior(event.card):
        return say(
            lang,
            f"{who} n’a ni samouraï ni Vieux Fou et joue {shown}.",
            f"{who} has neither a samurai nor an Old Fool and plays {shown}.",
        )
    return say(lang, f"{who} joue {shown}.", f"{who} plays {shown}.")


def _trick_won(seat: int, before: State, lang: Lang) -> Phrase:
    which, bonus, fools = words.this_trick(before, lang), "", ""
    if before.trick.count(FOOL) > 1:
        fools = say(lang, " par le dernier Vieux Fou", " with the last Old Fool")
    if BONUS in before.trick:
        bonus = say(lang, f" {card(BONUS)} en fait partie.", f" {card(BONUS)} is in it.")
    return say(lang, f"{{{seat}}} remporte le {which}{fools}.{bonus}", f"{{{seat}}} takes {which}{fools}.{bonus}")


# --- points ------------------------------------------------------------------------------------------------


def _scored(gained: tuple[int, ...], before: State, lang: Lang) -> Phrase:
    gains, totals = _gains(before, gained, lang), _totals(before, gained)
    return say(
        lang, f"Points de la manche : {gains}. Totaux : {totals}.", f"Points this round: {gains}. Totals: {totals}."
    )


def _gains(before: State, gained: tuple[int, ...], lang: Lang) -> Phrase:
    """Everybody's points of the round, and the Nobori that changed them."""
    shares = []
    for seat, number in enumerate(gained):
        raised = before.raised[seat]
        plain = score(before.tricks[seat], before.won[seat], None, before.seats)
        why = f" ({words.NOBORI_NAMES[raised][lang]})" if raised in SIGNS and number != plain else ""
        shares.append(f"{{{seat}}} {signed(number)}{why}")
    return ", ".join(shares)


def _totals(before: State, gained: tuple[int, ...]) -> Phrase:
    """Everybody's points of the match."""
    totals = enumerate(zip(before.totals, gained, strict=True))
    return ", ".join(f"{{{seat}}} {signed(sum(both))}" for seat, both in totals)


def _ended(winners: tuple[int, ...], before: State, lang: Lang) -> Phrase:
    """Tells who has won or who shares the victory, and whether after extra rounds; and with how many points."""
    names, total = seats_joined(winners, lang), words.points(max(before.totals), lang)
    if len(winners) == 1:
        return say(lang, f"{names} gagne avec {total}.", f"{names} wins with {total}.")
    still = before.number > before.rounds
    return say(
        lang,
        f"{'Toujours à' if still else 'À'} égalité avec {total}, {names} se partagent la victoire.",
        f"{'Still tied' if still else 'Tied'} at {total}, {names} share the victory.",
    )
