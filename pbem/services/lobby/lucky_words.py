"""The lucky words of the seats, until the match begins: typed by the player who sits down, or derived from the seed.

The commitment covers the seed and the organiser's word. It is made with the match and never changes, so each later
word adds something that it could not have been chosen for. A word that somebody typed is theirs alone: nobody else sees
it, and it goes when they leave the seat. It comes with the request that takes the seat, never before: what somebody
else typed must not stand as theirs. The word that a form proposes follows from the seed, and the commitment covers it;
a player who leaves it as it is has typed none.
"""

from pbem.errors import N_, Invalid
from pbem.kit.logs.chain import normalize_word, word_from_seed
from pbem.services.access import seat_links
from pbem.services.lobby.offers import free_or_why_too_late, read_join_link
from pbem.services.log import store
from pbem.services.site import Site
from pbem.services.tokens import OpeningClaim, SeatClaim


def lucky_word_to_store(seed: bytes, seat: int, word: str | None, *, shared: bool) -> str | None:
    """Returns the typed word in the form that counts; None if the word that follows from the seed stays.

    That is so if nothing was typed, or that very word. `shared` says that other tables have the same deal: then a word
    that would change it raises Invalid.
    """
    typed = normalize_word(word or "")
    if typed in ("", word_from_seed(seed, seat)):
        return None
    if shared:
        raise Invalid(
            N_("Several tables play this deal: its lucky words are fixed. Please leave yours out."), fields=("word",)
        )
    return typed


def read_typed_lucky_word(site: Site, claim: SeatClaim) -> str | None:
    """Returns the lucky word that the seat's owner has typed, in the form that counts; None if they have typed none.

    Show it only to the holder of this link. Raises Unauthorized.
    """
    with site.reading() as session:
        return seat_links.seat_of_link(session, claim, claim.purpose).word


def read_proposed_word(site: Site, claim: SeatClaim | OpeningClaim) -> str:
    """Returns the word that the form of an invitation or an open seat proposes, which follows from the seed.

    It is never one that somebody has typed. "" if the seat is not free any more, or at the table of a deal that others
    play, too. Raises Unauthorized, Gone, NotFound.
    """
    with site.reading() as session:
        if isinstance(claim, SeatClaim):
            seat = seat_links.seat_of_link(session, claim, "invitation")
        else:
            _, seat = read_join_link(session, claim)
        match = store.get_match(session, seat.match_id)
        free = free_or_why_too_late(match.status) == "free" and seat.status != "accepted"
        return word_from_seed(match.seed, seat.seat) if free and match.deal_id is None else ""
