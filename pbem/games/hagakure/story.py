"""The story of Hagakure: every event in the third person, and the board in words."""

from collections import Counter

from pbem.games.hagakure import facts, words
from pbem.games.hagakure.facts import State, evolve, is_warrior, next_seat
from pbem.games.hagakure.words import card, cards, name_card
from pbem.kit.contract import Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, counted, put_in, say, seat_and_place, seats_joined, seen_from, signed


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it."""
    if isinstance(event, facts.Dealt):
        return _tell_deal(event, evolve(before, event), lang)
    assert before is not None, "only the deal has nothing before it"
    match event:
        case facts.Played():
            return _tell_play(event, before, lang)
        case facts.TrickWon(seat):
            return _tell_trick(seat, before, lang)
        case facts.Scored(gained):
            return _tell_score(gained, before, lang)
        case facts.Ended(_, winners):
            return _tell_end(winners, before, lang)
    return _nobori(event, before, lang)


# --- a round -----------------------------------------------------------------------------------------------


def _tell_deal(event: facts.Dealt, after: State, lang: Lang) -> Phrase:
    """Tells of the deal: which round it is, why an extra one is played, and who begins."""
    dealer, first = event.dealer, next_seat(event.dealer, after.seats)
    if (extra := after.number - after.rounds) > 0:
        name = say(lang, f"Égalité, manche de plus {extra}", f"A tie, extra round {extra}")
    else:
        name = say(lang, f"Manche {after.number}", f"Round {after.number}")
    return say(
        lang,
        f"{name} : {{{dealer}}} distribue, {{{first}}} commence.",
        f"{name}: {{{dealer}}} deals, {{{first}}} begins.",
    )


def _nobori(event: Event, before: State, lang: Lang) -> Phrase:
    match event:
        case facts.Kept(seat):
            return say(lang, f"{{{seat}}} ne joue pas de bannière.", f"{{{seat}}} plays no banner.")
        case facts.Skipped(seat):
            return say(lang, f"{{{seat}}} n’a plus de bannière.", f"{{{seat}}} has no banner left.")
        case facts.Raised(seat, nobori):
            name, does = words.NOBORI_NAMES[nobori][lang], words.effect(nobori, before.seats, lang)
            return say(lang, f"{{{seat}}} joue {name} : {does}.", f"{{{seat}}} plays {name}: {does}.")
        case facts.Swapped(seat, drawn):
            if None in drawn:
                return say(
                    lang, f"{{{seat}}} échange sa main contre le Yomi.", f"{{{seat}}} swaps their hand for the Yomi."
                )
            got = cards(facts.visible(drawn))
            return say(lang, f"{{{seat}}} échange et reçoit {got}.", f"{{{seat}}} swaps and gets {got}.")
        case facts.Looked(seat, target, seen):
            what = say(lang, "le Yomi", "the Yomi") if target is None else words.hand_of(target, lang)
            if None in seen:
                return say(lang, f"{{{seat}}} regarde {what}.", f"{{{seat}}} looks at {what}.")
            shown = cards(facts.visible(seen))
            return say(lang, f"{{{seat}}} voit {what} : {shown}.", f"{{{seat}}} sees {what}: {shown}.")
    raise TypeError(f"{event} is no event of Hagakure")


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
            f"{who} joue {shown}, sans samouraï ni Vieux Fou.",
            f"{who} plays {shown}: no samurai, no Old Fool.",
        )
    return say(lang, f"{who} joue {shown}.", f"{who} plays {shown}.")


def _tell_trick(seat: int, before: State, lang: Lang) -> Phrase:
    """Tells who takes the trick, and what is special about it: the 18 is in it, or Old Fools have won it."""
    which, bonus, more = words.this_trick(before, lang), facts.BONUS in before.trick, ""
    if before.trick.count(facts.FOOL) > 1:
        with_it = say(lang, " et ", " and ") + card(facts.BONUS) if bonus else ""
        more = with_it + say(lang, " avec le dernier Fou", " with the last Old Fool")
    elif bonus:
        more = say(lang, f", avec {card(facts.BONUS)} : +1", f", with {card(facts.BONUS)}: +1")
    return say(lang, f"{{{seat}}} gagne le {which}{more}.", f"{{{seat}}} takes {which}{more}.")


# --- points ------------------------------------------------------------------------------------------------


def _tell_score(gained: tuple[int, ...], before: State, lang: Lang) -> Phrase:
    """Tells that the round is over, and who got most points in it; the board has the points of all."""
    best = max(gained)
    seats = [seat for seat, number in enumerate(gained) if number == best]
    who = seats_joined(seats, lang) if len(seats) < 3 else say(lang, f"{len(seats)} joueurs", f"{len(seats)} players")
    total = words.points(best, lang)
    return say(
        lang,
        f"Manche {before.number} finie : {who} {'marque' if len(seats) == 1 else 'marquent'} {total}.",
        f"Round {before.number} is over: {who} {'scores' if len(seats) == 1 else 'score'} {total}.",
    )


def _tell_end(winners: tuple[int, ...], before: State, lang: Lang) -> Phrase:
    """Tells who has won or who shares the victory, and with how many points."""
    names, total = seats_joined(winners, lang), words.points(max(before.totals), lang)
    if len(winners) == 1:
        return say(lang, f"{names} gagne avec {total}.", f"{names} wins with {total}.")
    return say(
        lang,
        f"À égalité avec {total}, {names} partagent la victoire.",
        f"Tied at {total}, {names} share the victory.",
    )


# --- the board in words --------------------------------------------------------------------------------------

_STAGES = {
    "nobori": T("choix des bannières", "the banners are chosen"),
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
        return say(lang, f"{{{seat}}} choisit une bannière.", f"{{{seat}}} chooses a banner.")
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
        raised = say(lang, f"bannière de la manche : {name} ; ", f"banner of this round: {name}; ")
    left = ", ".join(words.NOBORI_NAMES[nobori][lang] for nobori in fold.nobori[seat]) or words.NONE[lang]
    return say(
        lang,
        f"{who} : {total} ; main : {hand} ; {won} ; {raised}bannières restantes : {left}.",
        f"{who}: {total}; hand: {hand}; {won}; {raised}banners left: {left}.",
    )
