"""Guests: their visits, the address that they add, what moves with them, and how they end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

from pbem.errors import Busy
from pbem.features.uploads.tables import UploadedLogRow
from pbem.models.accounts import AddressChange
from pbem.models.results import Result
from pbem.models.tables import OutboxRow, Player
from pbem.services.lobby import matches
from pbem.services.players import guests, players
from pbem.services.privacy import address_change, erasure, retention
from pbem.services.privacy.fates import all_fates
from pbem.services.tokens import ChangeClaim, PlayerClaim
from pbem.services.who import STRANGER
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, store_rows
from tests.table import House

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


def tell(house: House, told: Chronicle) -> None:
    told.part("visits")
    _tell_visits(house, told)
    told.part("an address of their own")
    _first_address(house, told)
    told.part("a known player's address")
    _tell_merging(house, told)
    told.part("signing in beside a guest")
    _take_along(house, told)
    told.part("the end")
    _tell_overdue(house, told)


def _guest(house: House) -> int:
    """Returns the id of a new guest, who plays against bots."""
    made = matches.start_match_against_bots(house.site, STRANGER, "hogen", "Guest", "en", "Europe/London")
    return made.player.player_id


def _tell_visits(house: House, told: Chronicle) -> None:
    site = house.site

    def add() -> Any:
        with site.writing() as work:
            return guests.add_guest(work, "en", "UTC", house.clock()).id

    told.do("a guest comes", add)
    told.do("they have no address", lambda: guests.guest_id(players.read_account(site, 1)))
    store_rows(house, Player(address="a@example.org", canonical="a@example.org", created_at=house.clock()))
    told.skip()
    told.do("Alice has one", lambda: guests.guest_id(players.read_account(site, 2)))
    told.do("again on this day", lambda: guests.note_visit(site, PlayerClaim(1, 0)))
    house.clock.at = house.clock.at.replace(hour=23, minute=59, second=59)
    told.do("at its end", lambda: guests.note_visit(site, PlayerClaim(1, 0)))
    house.clock.at += SECOND
    told.do("somebody with an old session", lambda: guests.note_visit(site, PlayerClaim(1, 1)))
    told.do("somebody with an address", lambda: guests.note_visit(site, PlayerClaim(2, 0)))
    told.do("on the next day", lambda: guests.note_visit(site, PlayerClaim(1, 0)))
    house.clock.at += SECOND
    told.do("again, after one at midnight", lambda: guests.note_visit(site, PlayerClaim(1, 0)))
    house.clock.at -= SECOND


def _first_address(house: House, told: Chronicle) -> None:
    site = house.site
    told.do("the guest names an address", lambda: address_change.request_change(site, 1, "Nina@Example.net"))
    told.do("it waits", lambda: address_change.pending_change(site, 1))
    told.do("its mailbox looks", lambda: address_change.read_change(site, ChangeClaim(1, "new")))
    told.do("the old one, which there is not", lambda: address_change.read_change(site, ChangeClaim(1, "old")))
    house.clock.forward(hours=48)
    told.do("too late", lambda: address_change.confirm_first_address(site, ChangeClaim(1, "new")))
    house.clock.at -= SECOND
    told.do("in time", lambda: address_change.confirm_first_address(site, ChangeClaim(1, "new")))
    told.do("only once", lambda: address_change.confirm_first_address(site, ChangeClaim(1, "new")))
    told.do("an unknown one", lambda: address_change.confirm_first_address(site, ChangeClaim(9, "new")))
    store_rows(house, AddressChange(player_id=2, address="b@x.org", canonical="b@x.org", at=house.clock(),
          until=house.clock() + DAY))  # fmt: skip
    told.skip()
    told.do(
        "that of somebody with an address", lambda: address_change.confirm_first_address(site, ChangeClaim(2, "new"))
    )


def _tell_merging(house: House, told: Chronicle) -> None:
    site, now = house.site, house.clock()
    number = _guest(house)
    with site.writing() as work:
        known = work.get_one(Player, 2)
        known.bounced_at, known.bounced_why, known.verified_at = now, "host", None
    match_id = _match_of(house)
    store_rows(
        house,
        OutboxRow(dedupe="x", kind="links", player_id=number, created_at=now, due_at=now),
        UploadedLogRow(id="log", player_id=number, game="hogen", document=b"", at=now, until=now + DAY),
        Result(match_id=match_id, seat=0, game="hogen", player_id=number, place=1, ended_at=now),
    )
    house.clock.forward(hours=1)
    told.skip()
    told.do("the guest names Alice's address", lambda: address_change.request_change(site, number, "A@example.org"))
    told.do("Alice's mailbox agrees", lambda: address_change.confirm_first_address(site, ChangeClaim(3, "new")))
    told.do("the guest has ended", lambda: address_change.request_change(site, number, "c@example.org"))


def _match_of(house: House) -> str:
    with house.site.reading() as session:
        found = session.connection().exec_driver_sql("SELECT id FROM matches ORDER BY id DESC LIMIT 1")
        return str(found.scalar_one())


def _take_along(house: House, told: Chronicle) -> None:
    site = house.site
    number = _guest(house)
    address_change.request_change(site, number, "new@example.org")
    told.skip()
    alice = PlayerClaim(2, 0)
    told.do("with an old session", lambda: erasure.move_guest_to_player(site, PlayerClaim(number, 7), alice))
    told.do("of one who is no guest", lambda: erasure.move_guest_to_player(site, PlayerClaim(1, 1), alice))
    told.do("of nobody", lambda: erasure.move_guest_to_player(site, PlayerClaim(99, 0), alice))
    told.do("to nobody", lambda: erasure.move_guest_to_player(site, PlayerClaim(number, 0), PlayerClaim(99, 0)))
    told.do("of the guest", lambda: erasure.move_guest_to_player(site, PlayerClaim(number, 0), alice))
    told.do("once more", lambda: erasure.move_guest_to_player(site, PlayerClaim(number, 0), alice))
    fates = {name: fate.merged for name, fate in sorted(all_fates().items())}
    told.lines += ["", f"  {fates}"]


def _tell_overdue(house: House, told: Chronicle) -> None:
    site = house.site
    first = _guest(house)
    second, third = _guest(house), _guest(house)
    start = house.clock()
    house.clock.forward(hours=1)
    fourth = _guest(house)
    told.skip()
    house.clock.at = start + 15 * DAY - SECOND
    note_results_of_cases(told, "none is overdue", lambda after: guests.ids_of_guests_long_away(site, 9, after), (0,))
    house.clock.at = start + 15 * DAY
    note_results_of_cases(
        told, "overdue after", lambda after: guests.ids_of_guests_long_away(site, 9, after), (0, first, third)
    )
    note_results_of_cases(told, "one at once", lambda most: guests.ids_of_guests_long_away(site, most), (1, 2))
    told.do("the fourth is not", lambda: guests.end_session_of_overdue_guest(site, fourth))
    told.do("the first is claimed", lambda: guests.end_session_of_overdue_guest(site, first))
    told.do("one with an address is not", lambda: guests.end_session_of_overdue_guest(site, 2))
    real = guests.end_session_of_overdue_guest

    def busy(site: Any, guest: int) -> bool:
        if guest == second:
            raise Busy("busy")
        return real(site, guest)

    with patch.object(guests, "end_session_of_overdue_guest", busy):
        told.do("all are erased whose matches are not in use", lambda: retention.delete_old_rows(site))
    told.do("the last one, in the next run", lambda: retention.delete_old_rows(site))
    told.do("nothing is left", lambda: retention.delete_old_rows(site))
