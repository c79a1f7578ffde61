"""The lucky words of the seats, until the match begins: typed by whoever sits down, or derived from the seed.

The commitment covers the seed and the organiser's word. It is made with the match and never changes, so each later
word adds something that it could not have been chosen for. A word that somebody typed is theirs alone: nobody else sees
it, and it goes when they leave the seat. The word that a form proposes follows from the seed, and the commitment covers
it; whoever leaves it as it is has typed none.
"""

from sqlmodel import Session

from pbem.kit.proof.lucky_words import hash_word, normalize, word_from_seed
from pbem.models.tables import Match, SeatRow
from pbem.services.access import seat_links
from pbem.services.lobby.vacancies import invitation_state
from pbem.services.log import store
from pbem.services.log.proofs import words_of
from pbem.services.site import Site
from pbem.services.tokens import OpeningClaim, SeatClaim, opening_of, unknown_link


def own_word(seed: bytes, seat: int, word: str | None) -> str | None:
    """Returns the word as it counts; None if nobody typed one, or if it is the one that follows from the seed."""
    typed = normalize(word or "")
    return typed if typed not in ("", word_from_seed(seed, seat)) else None


def keep_word(session: Session, match: Match, seat: SeatRow, word: str | None) -> None:
    """Stores the lucky word that somebody types as they take the seat; without one, that of their request stays."""
    if word:
        seat.word = own_word(match.seed, seat.seat, word)
        session.add(seat)


def read_word(site: Site, claim: SeatClaim) -> str:
    """Returns the seat's lucky word for its owner: the one they have typed, else the one that follows from the seed.

    For nobody else: show it only to the holder of this link. "" if it is not known any more: the seat has another owner
    since the match began, or the word was erased. Raises Unauthorized.
    """
    with site.reading() as session:
        seat = seat_links.seat_of(session, claim, claim.purpose)
        return _word_of(store.get_match(session, seat.match_id), seat)


def read_own_word(site: Site, claim: SeatClaim) -> str | None:
    """Returns the lucky word that the seat's owner has typed, as it counts; None if they have typed none.

    For nobody else, as above. Raises Unauthorized.
    """
    with site.reading() as session:
        return seat_links.seat_of(session, claim, claim.purpose).word


def read_proposed_word(site: Site, claim: OpeningClaim) -> str:
    """Returns the word that an open seat's form proposes, which follows from the seed; "" if it is not free any more.

    It is never the word of somebody who has asked for the seat. Raises Unauthorized.
    """
    with site.reading() as session:
        seat = session.get(SeatRow, (claim.match_id, claim.seat))
        if seat is None or opening_of(seat.epoch) != claim.era:
            raise unknown_link()
        match = store.get_match(session, seat.match_id)
        free = invitation_state(match.status) == "free" and seat.status != "accepted"
        return word_from_seed(match.seed, seat.seat) if free else ""


def _word_of(match: Match, seat: SeatRow) -> str:
    derived = word_from_seed(match.seed, seat.seat)
    unknown = match.words is not None and words_of(match)[seat.seat] != hash_word(derived)
    return seat.word or ("" if unknown else derived)
