"""The story of Hagakure: every event in the third person, and the board in words."""

from collections import Counter

from pbem.games.hagakure import facts, words
from pbem.games.hagakure.facts import State, evolve, is_warrior, next_seat
from pbem.games.hagakure.rules import score
from pbem.games.hagakure.words import card, cards, name_card
from pbem.kit.contract import Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, counted, joined, put_in, say, seat_and_place, seats_joined, seen_from, signed


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it."""
    if isinstance(event, facts.Dealt):
        return _tell_deal(event, evolve(before, event), lang)
    assert before is not None, "only the deal has nothing before it"
    match event:
        case facts.Played():
            return _tell_play(event, before, lang)
        case facts.TrickWon(seat):
            bonus = fools = ""
            if before.trick.count(facts.FOOL) > 1:
                fools = say(lang, " par le dernier Vieux Fou", " with the last Old Fool")
            if facts.BONUS in before.trick:
                bonus = say(lang, f" {card(facts.BONUS)} en fait partie.", f" {card(facts.BONUS)} is in it.")
            won = f"{words.this_trick(before, lang)}{fools}.{bonus}"
            return say(lang, f"{{{seat}}} remporte le {won}", f"{{{seat}}} takes {won}")
        case facts.Scored(gained):
            gains, sums = _gains(before, gained, lang), zip(before.totals, gained, strict=True)
            totals = ", ".join(f"{{{seat}}} {signed(sum(both))}" for seat, both in enumerate(sums))
            return say(
                lang,
                f"Points de la manche : {gains}. Totaux : {totals}.",
                f"Points this round: {gains}. Totals: {totals}.",
            )
        case facts.Ended(_, winners):
            return _tell_end(winners, before, lang)
    return _nobori(event, before, lang)


# --- a round -----------------------------------------------------------------------------------------------


def _tell_deal(event: facts.Dealt, after: State, lang: Lang) -> Phrase:
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


def _with_cards(hand: facts.Hand, before: str, lang: Lang) -> Phrase:
    """These words and then the cards, for viewers who see them."""
    return "" if None in hand else before + joined(map(card, facts.visible(hand)), lang)


def _tell_play(event: facts.Played, before: State, lang: Lang) -> Phrase:
    """Tells which card was played and how: led, after others, or as the last of a hand; and what it shows to all."""
    who, shown = put_in(event.seat), name_card(event.card, lang)
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


# --- points ------------------------------------------------------------------------------------------------


def _gains(before: State, gained: tuple[int, ...], lang: Lang) -> Phrase:
    """Everybody's points of the round, and the Nobori that changed them."""
    shares = []
    for seat, number in enumerate(gained):
        raised = before.raised[seat]
        plain = score(before.tricks[seat], before.won[seat], None, before.seats)
        why = f" ({words.NOBORI_NAMES[raised][lang]})" if raised in facts.SIGNS and number != plain else ""
        shares.append(f"{{{seat}}} {signed(number)}{why}")
    return ", ".join(shares)


def _tell_end(winners: tuple[int, ...], before: State, lang: Lang) -> Phrase:
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


# --- the board in words --------------------------------------------------------------------------------------

_STAGES = {
    "nobori": T("choix des Nobori", "the Nobori are chosen"),
    "scored": T("comptée", "counted"),
    "over": T("la dernière", "the last one"),
}
_LEGEND = T(
    "V villageois, S samouraï, F Vieux Fou, qui compte comme un samouraï ; le nombre est la valeur.",
    "V villager, S samurai, F Old Fool, which counts as a samurai; the number is the value.",
)


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line; never a card that the fold does not know."""
    yomi = words.pile(fold.yomi, lang)
    # The cards whose place the viewer does not know, fools last.
    counts = sorted(Counter(facts.unseen(fold)).items(), key=lambda item: (item[0] == facts.FOOL, item))
    left = ", ".join(f"{count} × {card(number)}" if count > 1 else card(number) for number, count in counts)
    if left:
        left = say(lang, f"Cartes pas encore vues dans la manche : {left}.", f"Cards not seen in this round: {left}.")
    order = seats_joined(range(fold.seats), lang)
    rounds = " · ".join(f"{n} ({', '.join(map(signed, row))})" for n, row in enumerate(fold.sheet, 1))
    return [
        _round(fold, lang, over=over),
        _whose_turn(fold, lang, over=over),
        *(_seat(fold, seat, viewer, lang) for seat in seen_from(viewer, fold.seats)),
        say(lang, f"Yomi : {yomi}.", f"Yomi: {yomi}."),
        left,
        rounds and say(lang, f"Manches ({order}) : {rounds}.", f"Rounds ({order}): {rounds}."),
        _LEGEND[lang],
    ]


def _round(fold: State, lang: Lang, *, over: bool) -> str:
    """Describes the round and the trick, with the cards on the table."""
    name = words.round_name(fold, lang)
    if fold.phase == "nobori" and over:
        return f"{name}."
    if fold.phase != "play":
        return f"{name}, {_STAGES[fold.phase][lang]}."
    if not fold.trick:
        return f"{name}, {words.this_trick(fold, lang)}."
    laid = ", ".join(f"{{{(fold.leader + at) % fold.seats}}} {card(number)}" for at, number in enumerate(fold.trick))
    return f"{name}, {words.this_trick(fold, lang)}{say(lang, ' : ', ': ')}{laid}."


def _whose_turn(fold: State, lang: Lang, *, over: bool) -> str:
    seat = fold.active
    if fold.over:
        winners = seats_joined(fold.winners, lang)
        if len(fold.winners) == 1:
            return say(lang, f"La partie est finie, {winners} a gagné.", f"The match is over, {winners} won.")
        return say(
            lang,
            f"La partie est finie, victoire partagée : {winners}.",
            f"The match is over, a shared victory: {winners}.",
        )
    if fold.phase == "scored":
        return say(lang, "On distribue de nouveau.", "The cards are dealt again.")
    if over:
        return ""
    if fold.phase == "nobori":
        return say(lang, f"{{{seat}}} choisit un Nobori.", f"{{{seat}}} chooses a Nobori.")
    if len(fold.trick) == fold.seats:
        return say(lang, "Le pli est complet.", "The trick is complete.")
    if not fold.trick:
        return say(lang, f"{{{seat}}} entame.", f"{{{seat}}} leads.")
    return say(lang, f"{{{seat}}} doit jouer.", f"{{{seat}}} is to play.")


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    """Describes a seat: its points, cards, tricks and Nobori."""
    dealt = say(lang, ", a distribué", ", dealt") if seat == fold.dealer else ""
    who, total = seat_and_place(seat, viewer, lang, dealt), words.points(fold.totals[seat], lang)
    hand = words.pile(fold.hands[seat], lang)
    if fold.bare[seat] and None in fold.hands[seat]:
        hand += say(lang, ", ni samouraï ni Vieux Fou", ", neither samurai nor Old Fool")
    won = counted(fold.tricks[seat], words.TRICK, lang) + (f" ({cards(fold.won[seat])})" if fold.won[seat] else "")
    nobori, raised = fold.raised[seat], ""
    to_choose = (seat - fold.leader) % fold.seats >= (fold.active - fold.leader) % fold.seats
    if nobori is not None or fold.phase != "nobori" or not to_choose:
        name = words.NONE[lang] if nobori is None else words.NOBORI_NAMES[nobori][lang]
        raised = say(lang, f"Nobori de la manche : {name} ; ", f"Nobori of this round: {name}; ")
    left = ", ".join(words.NOBORI_NAMES[nobori][lang] for nobori in fold.nobori[seat]) or words.NONE[lang]
    return say(
        lang,
        f"{who} : {total} ; main : {hand} ; {won} ; {raised}Nobori restants : {left}.",
        f"{who}: {total}; hand: {hand}; {won}; {raised}Nobori left: {left}.",
    )
