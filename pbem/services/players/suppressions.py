"""The addresses that get no mail, for the host to list and change."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from pbem.models.tables import Player, Suppression
from pbem.services.players import bounces, players
from pbem.services.site import Site


@dataclass(frozen=True)
class Unwanted:
    """An address that gets no mail; `address` is None if only its keyed hash is known.

    `reason` is "asked", "blocked", or the answer of its mail server ("host" if the host has noted that it bounces).
    """

    address: str | None
    digest: str
    reason: str
    since: datetime


def list_suppressed_addresses(site: Site) -> list[Unwanted]:
    """Returns all addresses that get no mail, latest first.

    Hashes the addresses of all players: only those can be recognised among the suppressed ones.
    """
    with site.reading() as session:
        hidden = {row.digest: row for row in session.exec(select(Suppression))}
        addresses = []
        for player in session.exec(select(Player)):
            if player.canonical is None:
                continue
            digest = site.tokens.address_digest(player.canonical)
            if row := hidden.pop(digest, None):
                addresses.append(Unwanted(player.address, digest, row.reason, row.at))
            elif player.bounced_at is not None:
                addresses.append(Unwanted(player.address, digest, player.bounced_why or "", player.bounced_at))
        addresses += [Unwanted(None, row.digest, row.reason, row.at) for row in hidden.values()]
    return sorted(addresses, key=lambda one: one.since, reverse=True)


def note_bounce(site: Site, address: str) -> bool:
    """Records that mail to the address bounces; returns True if a player has this address. Raises Invalid."""
    _, canonical = players.check_address(address)
    with site.writing() as work:
        player = players.player_by_address(work, canonical)
        if player is None:
            return False
        bounces.mark_bouncing(work, player.id, bounces.HOST, site.now())
        return True


def clear_all_bounces(site: Site) -> int:
    """Clears all bounces; returns how many there were."""
    with site.reading() as session:
        bounced = session.exec(select(Player.id).where(col(Player.bounced_at).is_not(None))).all()
    forgotten = 0
    for player_id in bounced:
        with site.writing() as work:
            forgotten += bounces.clear_bounce_and_requeue_mails(work, player_id, site.now())
    return forgotten


def unblock_address(site: Site, address: str, *, even_if_asked: bool = False) -> str | None:
    """Lets mail go to the address again; returns why it did not before, None if it did. Raises Invalid.

    One whose owner asked for no mail stays blocked unless `even_if_asked`; "asked" is returned either way.
    """
    _, canonical = players.check_address(address)
    with site.writing() as work:
        player = players.player_by_address(work, canonical)
        bounced = player is not None and bounces.clear_bounce_and_requeue_mails(work, player.id, site.now())
        row = work.get(Suppression, site.tokens.address_digest(canonical))
        if row is None:
            return "bounced" if bounced else None
        if row.reason != "asked" or even_if_asked:
            work.delete(row)
        return row.reason
