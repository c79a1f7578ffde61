"""The important news of Hagakure: the score of a round, and cards that the viewer alone has seen."""

from pbem.games.hagakure import words
from pbem.games.hagakure.facts import Looked, Scored, Swapped, end_after_round
from pbem.games.hagakure.facts_cards import SIGNS, Hand, count_villagers, villagers_wanted, visible_cards
from pbem.games.hagakure.facts_state import State, is_tie_break_round, leading_seats_after_round
from pbem.kit.contract import Card, Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, joined, say, seats_joined, signed

_HEADS = (T("", ""), T("Plis", "Tricks"), T("Manche", "Round"), T("Total", "Total"))
_ALONE = T("Ces cartes ne sont montrées qu’à vous.", "You alone are shown these cards.")


def card(event: Event, before: State | None, viewer: Viewer, lang: Lang) -> Card | None:
    """Returns the card of a round's score, of a look and of a swap of the viewer's own; None for all other events.

    The last round has none: the page of a match that is over shows its result.
    """
    match event:
        case Scored():
            assert before is not None, "a round is scored after its deal"
            after = event.apply(before)
            return _score_card(event, before, after, lang) if end_after_round(after) is None else None
        case Looked(seat, target, seen) if seat == viewer and None not in seen:
            what = words.look_target_in_words(target, lang)
            return Card(what[:1].upper() + what[1:], (_hand_in_words(seen, lang), _ALONE[lang]))
        case Swapped(seat, drawn) if seat == viewer and None not in drawn:
            gone = say(lang, "Votre ancienne main est le nouveau Yomi.", "Your old hand is the new Yomi.")
            return Card(say(lang, "Votre nouvelle main", "Your new hand"), (_hand_in_words(drawn, lang), gone))
    return None


def _hand_in_words(hand: Hand, lang: Lang) -> Phrase:
    return joined(map(words.card_placeholder, visible_cards(hand)), lang)


def _score_card(event: Scored, before: State, after: State, lang: Lang) -> Card:
    """Tells who leads, and what everybody got and by which Nobori; the leaders first."""
    decides = is_tie_break_round(before, before.number)
    ranked = sorted(range(after.seats), key=lambda seat: (-after.totals[seat], decides * -event.points[seat]))
    rows = [tuple(head[lang] for head in _HEADS)]
    for seat in ranked:
        scored = (
            (str(before.tricks[seat]), _points_with_sign(event.points[seat])) if seat in before.players else ("–", "–")
        )
        rows.append((f"{{{seat}}}", *scored, signed(after.totals[seat])))
    raised = ((seat, one) for seat, one in enumerate(before.raised) if one in SIGNS)
    signs = ", ".join(
        f"{{{seat}}} {words.NOBORI_NAMES[one][lang]}{_villagers_if_exact_in_words(before, seat, lang)}"
        for seat, one in raised
    )
    by_nobori = (say(lang, f"Bannières : {signs}.", f"Banners: {signs}."),) if signs else ()
    return Card(words.round_name(before, lang), (*_leaders_and_next_round(after, lang), *by_nobori), tuple(rows))


def _villagers_if_exact_in_words(before: State, seat: int, lang: Lang) -> str:
    """Returns how many villagers were found, where an exact number is wanted (6.3)."""
    if not before.exact or before.raised[seat] != "villagers":
        return ""
    found, wanted = count_villagers(before.won[seat]), villagers_wanted(before.seats)
    return say(lang, f" ({found} ; il en faut {wanted})", f" ({found}; {wanted} wanted)")


def _points_with_sign(points: int) -> str:
    """Returns the points of a round, with their sign.

    >>> _points_with_sign(3), _points_with_sign(0), _points_with_sign(-2)
    ('+3', '0', '−2')
    """
    return f"+{points}" if points > 0 else signed(points)


def _leaders_and_next_round(after: State, lang: Lang) -> tuple[Phrase, ...]:
    """Returns who leads, and what the next round is if it is not like the others."""
    ahead, best = leading_seats_after_round(after, after.number), max(after.totals)
    who, many = seats_joined(ahead, lang), len(ahead) > 1
    if is_tie_break_round(after, after.number + 1):
        return (say(lang, f"{who} sont à égalité et se départagent.", f"{who} are tied, and play a tie-break."),)
    if after.number >= after.rounds:
        return (say(lang, f"{who} sont à égalité : encore une manche.", f"{who} are tied: one more round."),)
    points = words.points_in_words(best, lang)
    fr = f"{who} {'mènent' if many else 'mène'} avec {points}."
    lead = say(lang, fr, f"{who} {'lead' if many else 'leads'} with {points}.")
    if after.number + 1 == after.rounds:
        return (lead, say(lang, "La prochaine manche est la dernière.", "The next round is the last."))
    return (lead,)
