"""Erasing a player: what goes, what stays, and what becomes of their matches."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any
from unittest.mock import patch

from pbem.features.inbox import forgetting
from pbem.features.inbox.tables import InboxRow
from pbem.features.push.tables import PushSubscription
from pbem.features.uploads.tables import UploadedLogRow
from pbem.features.webhooks import registry
from pbem.models.accounts import AddressChange, Idempotent, PersonalToken
from pbem.models.clocks import Vacation
from pbem.models.results import Result
from pbem.models.tables import Match, MessageRow, NoteRow, OrderRow, OutboxRow, Player, SeatRow, SubstituteRow
from pbem.services.lobby import matches
from pbem.services.players import first_names
from pbem.services.privacy import erasure
from pbem.services.privacy.fates import all_fates
from pbem.services.tokens import ERA
from tests.features.circles.people import circle_of
from tests.features.leagues.stage import enter_all, found_league
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import close_mails, note_results_of_cases, store_rows
from tests.table import House

BOB, CAROL = 2, 3


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    running, organised, invited, over, taken = (house.begin(), house.create(), house.create(), house.create(),
                                                house.create())  # fmt: skip
    matches.confirm_match(site, house.claim("confirm", invited, 0), "fr", "Europe/Paris")
    _matches(house, organised, over, taken)
    _furnish(house, running, taken)
    close_mails(house)
    store_rows(
        house,
        *(
            OutboxRow(
                dedupe=f"{at}",
                kind=kind,
                match_id=match_id,
                seat=1 if match_id else None,
                player_id=who,
                created_at=house.clock(),
                due_at=house.clock(),
            )
            for at, (kind, match_id, who) in enumerate(
                (("links", None, BOB), ("links", None, CAROL), ("substitute", running, BOB), ("turn", running, BOB))
            )
        ),
    )
    told.skip()
    told.part("who may be erased")
    cases: dict[str, dict[str, Any]] = {
        "address": {"address": " BOB@example.org"[1:]}, "number": {"number": BOB}, "unknown": {"number": 99},
        "none": {"address": "charlie@example.org"}, "no address": {"address": "bob"},
    }  # fmt: skip
    note_results_of_cases(told, "found by", lambda name: erasure.find_player_to_erase(site, **cases[name]), cases)
    told.part("what holds an address")
    _tell_letters(house, told)
    told.part("Bob is erased")
    with site.reading() as session:
        told.do("seats that others have taken over from Bob", lambda: first_names.seats_taken_over_from(session, BOB))
    told.do("Bob is erased", lambda: erasure.erase_player(site, BOB))
    told.do("again", lambda: erasure.erase_player(site, BOB))
    told.do("nobody is", lambda: erasure.erase_player(site, 99))
    note_results_of_cases(told, "found", lambda number: erasure.find_player_to_erase(site, number=number), (BOB, CAROL))
    told.part("the others")
    told.do("Carol is erased, and wants no mail", lambda: erasure.erase_player(site, CAROL, never=True))
    with patch.object(erasure, "erase_rest_of_player", lambda *_: False):
        told.do("somebody invites Alice meanwhile", lambda: erasure.erase_player(site, 1))
    told.do("Alice is erased", lambda: erasure.erase_player(site, 1))
    fates = {name: fate.erased for name, fate in sorted(all_fates().items())}
    told.lines += ["", f"  {fates}"]


def _matches(house: House, organised: str, over: str, taken: str) -> None:
    """Bob organises a match that has not begun, played in one that is over, and has declined a seat of another."""
    now = house.clock()
    with house.site.writing() as work:
        match, seats = work.get_one(Match, organised), [work.get_one(SeatRow, (organised, at)) for at in range(3)]
        match.organiser_id, match.status = BOB, "inviting"
        seats[0].player_id, seats[0].status, seats[1].player_id, seats[1].status = BOB, "accepted", 1, "accepted"
        ended = work.get_one(Match, over)
        ended.status, ended.ended_at, ended.lapses_at = "over", now, None
        played = work.get_one(SeatRow, (over, 1))
        played.status, played.word = "accepted", "crane"
        other = work.get_one(Match, taken)
        other.status, other.first_names = "inviting", json.dumps({"1": "Bob", "2": "Dave"})
        refused = work.get_one(SeatRow, (taken, 1))
        refused.status = "declined"
        opened = work.get_one(SeatRow, (taken, 2))
        opened.status, opened.player_id, opened.epoch = "open", None, ERA
        work.add_all([match, *seats, ended, played, other, refused, opened])


def _furnish(house: House, running: str, taken: str) -> None:
    """Everything that is stored about Bob is stored about Carol, too."""
    site, now = house.site, house.clock()
    circle_of(house, "Bob", "Carol", "Alice")
    league = found_league(house, "Bob")
    enter_all(house, league.season_id, "Bob", "Carol")
    later = now + timedelta(days=9)
    for who in (BOB, CAROL):
        seat = who - 1
        registry.add_webhook(site, who, "https://example.org/hook", ["over"])
        store_rows(
            house,
            PersonalToken(player_id=who, name="x", digest=f"{who}", hint="", scopes="", created_at=now),
            AddressChange(player_id=who, address="x@x.org", canonical="x@x.org", at=now, until=later),
            Vacation(player_id=who, first=date(2026, 3, 1), last=date(2026, 3, 2)),
            UploadedLogRow(id=f"log{who}", player_id=who, game="hogen", document=b"", at=now, until=later),
            Result(match_id=running, seat=seat, game="hogen", player_id=who, place=1, ended_at=now),
            Idempotent(owner=f"player:{who}", key="k", digest="d", answer="", at=now),
            Idempotent(owner=f"seat:{running}.{seat}.0", key="k", digest="d", answer="", at=now),
            MessageRow(match_id=running, seat=seat, at=now, text="hello"),
            NoteRow(match_id=running, seat=seat, at=now, text="beware"),
            OrderRow(match_id=running, seat=seat, version=1, body="[]", via="web"),
            PushSubscription(
                match_id=running, seat=seat, device="d", epoch=0, endpoint="e", p256dh="p", auth="a", created_at=now
            ),
            SubstituteRow(match_id=running, seat=0, away_n=3, player_id=who, name=f"offer{who}", at=now),
            SubstituteRow(match_id=taken, seat=2, away_n=-ERA - who, player_id=who, name=f"claim{who}", at=now),
        )
    for at, (seat, former, epoch) in enumerate(((1, BOB, 2), (2, BOB, 5), (2, CAROL, 4))):
        store_rows(house,
        SubstituteRow(match_id=taken, seat=seat, away_n=at + 1, player_id=1, name="x", at=now, epoch=epoch,
              former_id=former, void=True))  # fmt: skip
    with site.writing() as work:
        bob = work.get_one(Player, BOB)
        bob.digest_hour, bob.weekends_off, bob.quiet_from, bob.quiet_to, bob.pictures = 7, True, 22, 6, False
        bob.rated, bob.pace_shown, bob.absences, bob.weekly, bob.hints_hidden = True, True, 2, False, "hogen.act"
        bob.page_key, bob.bounced_at, bob.bounced_why, bob.zone = "page", now, "550", "UTC"
        work.add(bob)


def _tell_letters(house: House, told: Chronicle) -> None:
    now = house.clock()
    encoded = b"From: x@y.org\nContent-Transfer-Encoding: base64\n\n" + b"d3JpdGUgdG8gQm9iQGV4YW1wbGUub3JnIG5vdw==\n"
    texts: list[tuple[bytes | None, dict[str, Any]]] = [
        (b"From: bob@example.org\n\nhello", {}), (b"From: x@y.org\n\nask Bob@Example.org.", {}),
        (b"From: x@y.org\n\nbob@example.org.uk", {}), (b"From: x@y.org\n\njim-bob@example.org", {}),
        (b"From: x@y.org\n\nbob@example.organ", {}), (b"From: x@y.org\n\nhello", {"mail_from": "BOB@example.org"}),
        (b"From: x@y.org\n\nhello", {"recipients": '["bob@example.org"]'}), (encoded, {}),
        (b"From: bob@example.org\n\nhello", {"player_id": CAROL}), (None, {"mail_from": "bob@example.org"}),
        (b"From: x@y.org\n\ncarol@example.org", {"player_id": BOB}), (b"", {}), (b"\xff\xfe", {}),
    ]  # fmt: skip
    long = encoded + b"\n" * (forgetting.LONGEST_READ - len(encoded))
    texts += [(long, {}), (long + b"\n", {})]
    rows = [InboxRow(digest=f"{at}", via="lmtp", size=0, received_at=now, due_at=now, raw=raw, message_id="m", **more)
            for at, (raw, more) in enumerate(texts)]  # fmt: skip
    store_rows(house, *rows)
    told.skip()
    told.do("Bob's mails", lambda: forgetting.erase_unowned_texts_with_addresses(house.site, ("bob@example.org",)))
    told.do("none is left", lambda: forgetting.erase_unowned_texts_with_addresses(house.site, ("bob@example.org",)))
