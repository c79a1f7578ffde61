"""Do you want your mails at another address? Sent to the old and the new mailbox."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlmodel import Session

from pbem.mail.harmless import Typed
from pbem.mail.letters import Kind, Letter
from pbem.models.accounts import AddressChange
from pbem.models.tables import OutboxRow, Suppression
from pbem.services.mail.letter_context import LetterContext
from pbem.services.players.quotas import Quota, quotas_of_unverified
from pbem.services.site import Site
from pbem.services.tokens import ChangeClaim


@dataclass(frozen=True, kw_only=True)
class Readdress(Letter):
    """Asks to confirm a change of address. Both mailboxes are asked; `side` says which one this mail is for.

    `wanted` is the new address; the mail to the new mailbox does not contain the old one. The request lapses at
    `until`.
    """

    side: Literal["old", "new"]
    first: bool = False
    """True if a player without an address would like this to be theirs: no other mailbox is asked."""
    wanted: Typed
    change_url: str
    until: datetime


def build(context: LetterContext) -> Readdress | str:
    """Returns the letter to one of the two mailboxes; stale once the change is decided, suppressed if the address is.

    The row's key names the change and the side. What is known about the present address, for example that it bounces,
    does not count for either: players who request a change themselves are always written to.
    """
    number, _, side = (context.row.key or "").partition(".")
    change, player = context.session.get(AddressChange, int(number)), context.reader.player
    if change is None or change.done_at is not None or change.until <= context.now:
        return "stale"
    canonical = change.canonical if side == "new" else player.canonical
    assert canonical is not None, "a guest has no old mailbox to ask"
    if context.session.get(Suppression, context.site.tokens.address_digest(canonical)) is not None:
        return "suppressed"
    url = context.site.url(
        f"/address/{context.site.tokens.sign(ChangeClaim(int(number), 'new' if side == 'new' else 'old'))}"
    )
    about = {**context.envelope(), "wanted": change.address, "change_url": url, "until": change.until}
    if side == "new":  # whose mailbox it is, is not known yet: unsubscribing is about this address, not the player
        about |= {"to": change.address, "never_url": url, "unsubscribe": url}
        return Readdress(**about, side="new", first=change.first)
    return Readdress(**{**about, "unsubscribe": None}, side="old")


def quotas_of(site: Site, session: Session, row: OutboxRow) -> tuple[Quota, ...]:
    """Returns the quotas of the mail to the new mailbox, which may be anybody's."""
    number, _, side = (row.key or "").partition(".")
    change = session.get(AddressChange, int(number))
    if not site.config.has_caps or side != "new" or change is None:
        return ()
    return quotas_of_unverified(site, change.canonical)


KIND = Kind(Readdress, build, quotas_of=quotas_of, on_request=True, to_any_mailbox=True)
