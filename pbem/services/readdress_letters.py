"""The mail that asks a mailbox whether its player shall be written to elsewhere."""

from datetime import timedelta

from sqlmodel import col, func, select

from pbem.mail import letters as mail
from pbem.models.changes import AddressChange
from pbem.models.tables import Suppression
from pbem.services.desk import Desk

ASKED_DAY = 5
"""So many such mails a day at most go to one address that somebody would like to have, whoever it is who asks."""


def readdress(desk: Desk) -> tuple[mail.Readdress | None, str]:
    """The letter to one of the two mailboxes, or None with the reason: stale, suppressed, or capped (then later).

    The row's key names the change and the side. What is known of the present address, that it is refused for example,
    does not count for either: who asks for it himself is always written to.
    """
    number, _, side = (desk.row.key or "").partition(".")
    change, player = desk.session.get(AddressChange, int(number)), desk.reader.player
    if change is None or change.done_at is not None or change.until <= desk.now:
        return None, "stale"
    canonical = change.canonical if side == "new" else player.canonical
    if desk.session.get(Suppression, desk.site.tokens.address_digest(canonical)) is not None:
        return None, "suppressed"
    if side == "new" and _capped(desk, change):
        return None, "capped"
    url = desk.site.url(f"/address/{desk.site.tokens.for_change(int(number), 'new' if side == 'new' else 'old')}")
    about = {**desk.envelope(), "wanted": change.address, "change_url": url, "until": change.until}
    if side == "new":  # whose mailbox it is, is not known yet: the way out is about this address, not the player's
        return mail.Readdress(
            **{**about, "to": change.address, "never_url": url, "unsubscribe": url}, side="new"
        ), "sent"
    return mail.Readdress(**{**about, "unsubscribe": None}, side="old"), "sent"


def _capped(desk: Desk, change: AddressChange) -> bool:
    if not desk.site.config.capped:
        return False
    lately = col(AddressChange.canonical) == change.canonical, col(AddressChange.at) > desk.now - timedelta(days=1)
    earlier = select(func.count()).where(*lately, col(AddressChange.id) < change.id)
    return desk.session.exec(earlier).one() >= ASKED_DAY
