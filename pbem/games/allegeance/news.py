"""The important news of Allégeance: what a round has given."""

from pbem.games.allegeance.facts import RoundEnded
from pbem.games.allegeance.facts_state import State, match_winners_after_round
from pbem.kit.contract import Card, Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, say, seats_joined

_HEADS = (T("", ""), T("Cartes", "Cards"), T("Manche", "Round"), T("Jetons", "Tokens"))


def card(event: Event, before: State | None, viewer: Viewer, lang: Lang) -> Card | None:
    """Returns the card of a round that is over; None for all other events.

    The last round has none: the page of a match that is over shows its result.
    """
    if not isinstance(event, RoundEnded):
        return None
    assert before is not None, "a round ends after it began"
    after = event.apply(before)
    if match_winners_after_round(after):
        return None
    rows = [tuple(head[lang] for head in _HEADS)]
    for seat in sorted(range(after.seats), key=lambda seat: -after.tokens[seat]):
        gained = "+1" if seat in event.winners else "0"
        rows.append((f"{{{seat}}}", str(len(before.hands[seat])), gained, str(after.tokens[seat])))
    title = say(lang, f"La manche {before.round} est finie", f"Round {before.round} is over")
    return Card(title, _who_gets_token_and_may_win_next(event, after, lang), tuple(rows))


def _who_gets_token_and_may_win_next(event: RoundEnded, after: State, lang: Lang) -> tuple[Phrase, ...]:
    """Returns who gets a token, and who may win the match with the next one."""
    who, many = seats_joined(event.winners, lang), len(event.winners) > 1
    fr = f"{who} {'ont' if many else 'a'} le moins de cartes."
    won = say(lang, fr, f"{who} {'have' if many else 'has'} the fewest cards.")
    # Where a tie is broken, one more is needed now (7.3).
    needed = max(after.target, max(after.tokens) + 1)
    near = [seat for seat, tokens in enumerate(after.tokens) if tokens == needed - 1]
    if not near:
        return (won,)
    names, several = seats_joined(near, lang), len(near) > 1
    fr = f"{names} {'peuvent' if several else 'peut'} gagner à la prochaine manche."
    return won, say(lang, fr, f"{names} can win in the next round.")
