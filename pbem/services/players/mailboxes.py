"""Whether two addresses lead to the same mailbox, as far as its provider says so. For comparison only.

Nobody is written to at such a form, and none is stored: an address stays as its owner typed it. Libraries that do this
either ask name servers, which a request must not wait for, or are months old; the rules are these few:

* the case of both parts does not matter, nor does how an international domain is written;
* what follows a plus is a tag: so do Gmail, Outlook, iCloud, Fastmail, Proton, and servers as they come;
* dots do not matter at Gmail, and nowhere else, as far as is known: elsewhere they tell people apart;
* some providers have several domains, and a person who has a name in one has it in the others.
"""

from collections.abc import Iterable
from contextlib import suppress

from sqlmodel import Session, col, select

from pbem.models.prepared import find_by_key
from pbem.models.tables import Player

_SAME_DOMAIN = {
    "googlemail.com": "gmail.com",
    "me.com": "icloud.com", "mac.com": "icloud.com",
    "protonmail.com": "proton.me", "pm.me": "proton.me",
}  # fmt: skip
_WITHOUT_DOTS = frozenset({"gmail.com"})


def mailbox_of(address: str) -> str:
    """Returns the same for each spelling of the same mailbox.

    >>> mailbox_of("A.lice+pbem@GoogleMail.com"), mailbox_of("alice@gmail.com"), mailbox_of("a.lice@example.org")
    ('alice@gmail.com', 'alice@gmail.com', 'a.lice@example.org')
    >>> mailbox_of("alice@bücher.example") == mailbox_of("alice@xn--bcher-kva.example"), mailbox_of("+x@example.org")
    (True, '+x@example.org')
    """
    local, _, domain = address.strip().casefold().rpartition("@")
    domain = domain.rstrip(".")
    with suppress(UnicodeError):  # as name servers know it, if it can be written so
        domain = domain.encode("idna").decode().lower()
    domain = _SAME_DOMAIN.get(domain, domain)
    local = local.partition("+")[0] or local
    if domain in _WITHOUT_DOTS:
        local = local.replace(".", "") or local
    return f"{local}@{domain}"


def has_same_mailbox_as_other(session: Session, player_id: int | None, others: Iterable[int | None]) -> bool:
    """True if one of the other players has the same mailbox as this one, who may have spelled it otherwise."""
    player = find_by_key(session, Player, player_id) if player_id is not None else None
    if player is None or player.canonical is None:
        return False
    return id_of_player_with_mailbox(session, player.canonical, {*others} - {player_id}) is not None


def id_of_player_with_mailbox(session: Session, address: str, among: Iterable[int | None]) -> int | None:
    """Returns the first of these players whose mailbox this address leads to, or None."""
    wanted = mailbox_of(address)
    known = select(Player.id, Player.canonical).where(col(Player.id).in_({*among} - {None}))
    found = session.exec(known.order_by(col(Player.id)))
    return next((one for one, canonical in found if canonical and mailbox_of(canonical) == wanted), None)
