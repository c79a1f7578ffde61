"""Players: their addresses and names, signing up, sign-in links and their limits, and who gets no mail."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import patch

from pbem.errors import Busy
from pbem.models.tables import LinkRequest, OutboxRow, Player, Suppression
from pbem.services.players import bounces, digest_day, first_names, mailboxes, players, suppressions
from pbem.services.tokens import AccountClaim, NeverClaim, PlayerClaim
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import close_mails, note_results_of_cases, result_in_a_line, store_rows
from tests.table import House, address_of

ADDRESSES = (
    "Alice@Example.org", " alice@example.org", "alice", "alice@", "@example.org", "alice@bücher.example",
    "ärger@example.org", "alice@localhost", "a" * 65 + "@example.org", "a" * 90, "alice@example.test", "",
)  # fmt: skip
NAMES = (
    "Alice", "  Alice   Liddell ", "", "   ", "\u3164", "Al\u200bice", "Al\x07ice", "A" * 24, "A" * 25, "A" * 50,
    "(A)", "(a )", "( Z)", "(AB)", "(Ａ)", "=?utf-8?q?x?=", "a/b", "a\\b", "a:b", "a@b", "<a", "a>", "{a", "a}",
    "a.b", "a .b", "a. b", "Dr. A", "a。b", "a．b", ".a", "a.", "e\u0301", "…", "A…b",
)  # fmt: skip
MAILBOXES = (
    "A.Li.ce+x@GoogleMail.com", "alice@gmail.com.", "a.lice@example.org", "alice+a+b@example.org", "+x@example.org",
    "...@gmail.com", "alice@me.com", "alice@mac.com", "alice@icloud.com", "alice@pm.me", "alice@protonmail.com",
    "alice@BÜCHER.example", "alice@xn--bcher-kva.example", "alice@" + "b" * 70 + ".example", " alice@example.org ",
)  # fmt: skip


def tell(house: House, told: Chronicle) -> None:
    _tell_forms(told)
    told.part("sign-in links")
    _sign_up(house, told)
    _many_links(house, told)
    _owners_links(house, told)
    _tell_requests(house, told)
    told.part("accounts")
    _tell_accounts(house, told)
    told.part("no mail")
    _tell_never(house, told)
    _tell_unwanted(house, told)
    told.part("other reads")
    _tell_mailboxes(house, told)
    _tell_digests(house, told)


def _tell_forms(told: Chronicle) -> None:
    told.part("what people type")
    note_results_of_cases(told, "addresses", players.check_address, ADDRESSES)
    note_results_of_cases(told, "names", players.normalise_name, NAMES)
    note_results_of_cases(told, "short names", lambda name: players.normalise_name(name, 3), ("Bob", "Bobb"))
    note_results_of_cases(told, "letters", players.name_of_unnamed_seat, (0, 1, 25))
    note_results_of_cases(told, "languages", players.check_language, ("fr", "en", "de", ""))
    note_results_of_cases(told, "zones", players.check_zone, ("Europe/Paris", "UTC", "Paris", "", "x" * 50))
    note_results_of_cases(told, "mailboxes", mailboxes.mailbox_of, MAILBOXES)
    note_results_of_cases(told, "names kept", lambda one: first_names.names_after_takeover(*one),
    ((None, 1, "Bob"), ('{"1": "Bob"}', 1, "Carol"),
         ('{"1": "Bob"}', 0, "Alice")))  # fmt: skip
    note_results_of_cases(told, "names forgotten", lambda one: first_names.names_after_erasure(*one),
         ((None, 1), ('{"1": "Bob"}', 1), ('{"0": "Alice", "1": "Bob"}', 1), ('{"1": "Bob"}', 0)))  # fmt: skip
    note_results_of_cases(
        told,
        "names at the start",
        lambda one: first_names.names_at_start(one, ["Alice", "Carol"]),
        (None, '{"1": "Bob"}'),
    )


def _sign_up(house: House, told: Chronicle) -> None:
    site = house.site
    told.do("no address", lambda: players.request_links(site, "alice"))
    told.do("no language", lambda: players.sign_up(site, address_of("Alice"), "de", "UTC"))
    told.do("no zone", lambda: players.sign_up(site, address_of("Alice"), "en", "Paris"))
    told.do("no address, either", lambda: players.sign_up(site, "alice", "en", "UTC"))
    told.do("nothing to serve", lambda: players.queue_requested_links(site))
    told.do("somebody asks for the links of an unknown address", lambda: players.request_links(site, address_of("Bob")))
    told.do("Alice signs up", lambda: players.sign_up(site, "Alice@Example.org", "en", "UTC", 7))
    told.do("a worker serves both", lambda: players.queue_requested_links(site))
    told.do("Alice signs up in French", lambda: players.sign_up(site, address_of("Alice"), "fr", "Europe/Paris"))
    told.do("served: a mail waits already", lambda: players.queue_requested_links(site))


def _ask(house: House, name: str, browser: int | None = None) -> int:
    players.request_links(house.site, address_of(name), browser)
    return players.queue_requested_links(house.site)


def _many_links(house: House, told: Chronicle) -> None:
    site = house.site
    close_mails(house)
    told.skip()
    house.clock.forward(seconds=599)
    told.do("a second too soon", lambda: _ask(house, "Alice"))
    house.clock.forward(seconds=1)
    told.do("after ten minutes: the last two of the day live a day", lambda: _ask(house, "Alice"))
    close_mails(house, "refused")
    told.skip()
    house.clock.forward(seconds=599)
    told.do("one that was not sent, a second too soon", lambda: _ask(house, "Alice"))
    house.clock.forward(seconds=1)
    told.do("after ten minutes, again", lambda: _ask(house, "Alice"))
    close_mails(house)
    told.skip()
    house.clock.forward(hours=23, minutes=39, seconds=59)
    told.do("the link lives long enough", lambda: _ask(house, "Alice"))
    house.clock.forward(seconds=1)
    told.do("it does not: the day is over", lambda: _ask(house, "Alice"))
    close_mails(house)
    with site.writing() as work:
        alice = work.get_one(Player, 1)
        alice.verified_at = house.clock()
        told.skip()
        players.set_language_and_zone_if_unproved(work, alice, "fr", "Asia/Tokyo")
    told.do("now Alice has proven the address: another language is not theirs", lambda: None)
    house.clock.forward(days=1)
    for count in range(1, 7):
        house.clock.forward(minutes=10)
        told.do(f"request {count} of the day", lambda: _ask(house, "Alice"))
        close_mails(house)
        told.skip()
    house.clock.forward(minutes=99, seconds=59)
    told.do("a link of two hours, a second before another may leave", lambda: _ask(house, "Alice"))

    def news() -> None:
        with site.writing() as work:
            players.queue_links(site, work, work.get_one(Player, 1), news=True)

    told.do("there is news: a mail when it may", news)
    told.do("more news", news)
    house.clock.forward(seconds=1)
    told.do("the mail waits still", lambda: _ask(house, "Alice"))
    close_mails(house)
    told.skip()


def _owners_links(house: House, told: Chronicle) -> None:
    told.do("Alice's own browser asks", lambda: _ask(house, "Alice", 1))
    close_mails(house)
    told.skip()
    house.clock.forward(minutes=9, seconds=59)
    told.do("once more, too soon", lambda: _ask(house, "Alice", 1))
    for _ in range(6):
        house.clock.forward(minutes=10)
        _ask(house, "Alice", 1)
        close_mails(house)
    told.skip()
    house.clock.forward(minutes=10)
    told.do("the eighth from their own browser is like the first", lambda: _ask(house, "Alice", 1))
    told.do("the browser of somebody else", lambda: _ask(house, "Alice", 2))
    rows = [None, "own", "any.", "any.1800", "any.7200"]
    kept = [OutboxRow(dedupe="", kind="links", key=key, created_at=house.clock(), due_at=house.clock()) for key in rows]
    note_results_of_cases(told, "lives of links", lambda at: players.life_of_sign_in_link(kept[at]), range(len(kept)))
    close_mails(house)
    told.skip()


def _tell_requests(house: House, told: Chronicle) -> None:
    site = house.site
    now = house.clock()

    def failing(error: Exception | None, address: str = "bob@example.org") -> AbstractContextManager[Any]:
        real: Callable[[str], tuple[str, str]] = players.check_address

        def check(given: str) -> tuple[str, str]:
            if given == address and error is not None:
                raise error
            return real(given)

        return patch.object(players, "check_address", check)

    def store_requests(*rows: tuple[str, timedelta]) -> None:
        store_rows(house, *(LinkRequest(address=address, at=now - age) for address, age in rows))
        told.skip()

    day = timedelta(days=1)
    store_requests(*((f"{name}@example.org", timedelta()) for name in ("bob", "carol", "dave")))
    with failing(Busy("busy")), patch.object(players, "REQUESTS", 2):
        told.do("one is busy, and goes behind the others", lambda: players.queue_requested_links(site))
    with failing(KeyError("a fault")):
        told.do("one fails, and is older by a third of a day", lambda: players.queue_requested_links(site))
        told.do("it fails twice", lambda: players.queue_requested_links(site))
        told.do("it fails thrice, and is dropped", lambda: players.queue_requested_links(site))
    close_mails(house)
    now += 3 * day
    house.clock.at = now
    store_requests(("alice@example.org", day + timedelta(seconds=1)), ("alice@example.org", day))
    told.do("one is a day old, another is too old", lambda: players.queue_requested_links(site))
    close_mails(house)
    store_requests(*(("dave@example.org", timedelta()) for _ in range(101)))
    told.lines += [
        "",
        "## a hundred are served at once",
        f"  {[players.queue_requested_links(site) for _ in range(3)]}",
    ]
    told.skip()


def _tell_accounts(house: House, told: Chronicle) -> None:
    site, now = house.site, house.clock()
    store_rows(
        house,
        Player(
            address="Bob@Example.org", canonical="bob@example.org", language="en", zone="UTC", created_at=now,
            digest_hour=7, pictures=False, epoch=3, bounced_at=now, bounced_why="host",
        ),
        Player(language="en", zone="UTC", created_at=now, visited_at=now),
    )  # fmt: skip
    told.skip()
    told.do("Alice", lambda: players.read_account(site, 1))
    told.do("Bob by their session", lambda: players.read_account(site, PlayerClaim(2, 3)))
    told.do("a guest", lambda: players.read_account(site, 3))
    told.do("an old session", lambda: players.read_account(site, PlayerClaim(2, 2)))
    told.do("one that is to come", lambda: players.read_account(site, PlayerClaim(2, 4)))
    told.do("nobody's session", lambda: players.read_account(site, PlayerClaim(9, 0)))
    told.do(
        "Bob opens a link, which proves the address",
        lambda: players.verify_and_read_account(site, AccountClaim(2, 3, 0)),
    )
    house.clock.forward(seconds=1)
    told.do("and opens it again", lambda: players.verify_and_read_account(site, AccountClaim(2, 3, 0)))
    told.do("an old link", lambda: players.verify_and_read_account(site, AccountClaim(2, 2, 0)))
    told.do("Bob signs out", lambda: players.sign_out(site, 2))
    told.do("the link ends", lambda: players.verify_and_read_account(site, AccountClaim(2, 3, 0)))


def _tell_never(house: House, told: Chronicle) -> None:
    site = house.site
    digest = house.tokens.address_digest("bob@example.org")
    claim = NeverClaim(2, digest)
    told.do("before", lambda: players.read_language_and_use_of_never_link(site, claim))
    told.do("Bob wants no mail", lambda: players.suppress_by_link(site, claim))
    told.do("afterwards", lambda: players.read_language_and_use_of_never_link(site, claim))
    house.clock.forward(seconds=1)
    told.do("again", lambda: players.suppress_by_link(site, claim))
    told.do("Bob's former address", lambda: players.read_language_and_use_of_never_link(site, NeverClaim(2, "0" * 64)))
    told.do("a guest has none", lambda: players.suppress_by_link(site, NeverClaim(3, digest)))
    told.do("nobody", lambda: players.read_language_and_use_of_never_link(site, NeverClaim(9, digest)))
    with site.reading() as session:
        rows = [session.get_one(Player, number) for number in (1, 2, 3)]
        note_results_of_cases(told, "suppressed", lambda at: players.is_suppressed(site, session, rows[at]), range(3))


def _tell_unwanted(house: House, told: Chronicle) -> None:
    site = house.site
    told.do("the host blocks an address", lambda: players.block_address(site, "Spam@Example.org"))
    told.do("and one that is none", lambda: players.block_address(site, "spam"))
    house.clock.forward(seconds=1)
    told.do("Alice's mail bounces", lambda: suppressions.note_bounce(site, "ALICE@example.org"))
    house.clock.forward(seconds=1)
    told.do("still", lambda: suppressions.note_bounce(site, "alice@example.org"))
    told.do("nobody's address", lambda: suppressions.note_bounce(site, "nobody@example.org"))
    told.do("no address", lambda: suppressions.note_bounce(site, "nobody"))
    house.clock.forward(seconds=1)
    with site.writing() as work:
        bounces.mark_bouncing(work, 2, "550 5.1.1", house.clock())
    store_rows(house, Player(address="c@example.org", canonical="c@example.org", created_at=house.clock(),
          bounced_at=house.clock() + timedelta(seconds=1)))  # fmt: skip
    told.skip()
    told.do("who gets no mail, latest first", lambda: suppressions.list_suppressed_addresses(site))
    told.do("Alice gets mail again", lambda: suppressions.unblock_address(site, "Alice@example.org"))
    told.do("and did before", lambda: suppressions.unblock_address(site, "alice@example.org"))
    told.do("Bob asked for it", lambda: suppressions.unblock_address(site, "bob@example.org"))
    told.do("all the same", lambda: suppressions.unblock_address(site, "bob@example.org", even_if_asked=True))
    told.do("the blocked one", lambda: suppressions.unblock_address(site, "spam@example.org"))
    told.do("no address", lambda: suppressions.unblock_address(site, "spam"))
    with site.writing() as work:
        for number in (1, 2):
            bounces.mark_bouncing(work, number, "550", house.clock())
        work.add(Suppression(digest=house.tokens.address_digest("bob@example.org"), reason="blocked", at=house.clock()))
    told.skip()
    told.do("a blocked one bounces, too", lambda: suppressions.unblock_address(site, "bob@example.org"))
    told.do("all bounces are forgotten", lambda: suppressions.clear_all_bounces(site))
    told.do("there is none", lambda: suppressions.clear_all_bounces(site))


def _tell_mailboxes(house: House, told: Chronicle) -> None:
    now = house.clock()
    store_rows(
        house,
        *(
            Player(address=address, canonical=address, created_at=now)
            for address in ("d.d@gmail.com", "dd+1@gmail.com", "dd@googlemail.com", "dd@example.org")
        ),
    )
    told.skip()
    with house.site.reading() as session:
        cases: tuple[tuple[int | None, tuple[int | None, ...]], ...] = (
            (5, (6,)), (5, (8,)), (5, (5,)), (5, (None, 3, 7)), (None, (6,)), (3, (5, 6)), (99, (5,)), (8, ()),
        )  # fmt: skip
        note_results_of_cases(
            told, "same mailbox", lambda one: mailboxes.has_same_mailbox_as_other(session, *one), cases
        )
        among: tuple[tuple[str, tuple[int | None, ...]], ...] = (
            ("D.D@gmail.com", (7, 6, 5)), ("d.d@gmail.com", (7, 6)), ("dd@example.org", (5, 6, 7)), ("x@x.org", (3,)),
        )  # fmt: skip
        note_results_of_cases(
            told, "whose mailbox", lambda one: mailboxes.id_of_player_with_mailbox(session, *one), among
        )


def _tell_digests(house: House, told: Chronicle) -> None:
    site = house.site

    def at(zone: str, hour: int) -> Player:
        return Player(id=4, zone=zone, digest_hour=hour, created_at=house.clock())

    paris = {
        "skipped": (at("Europe/Paris", 2), date(2026, 3, 29)),
        "twice": (at("Europe/Paris", 2), date(2026, 10, 25)),
    }
    usual = {"tokyo": (at("Asia/Tokyo", 0), date(2026, 1, 1)), "late": (at("America/New_York", 23), date(2026, 7, 1))}
    days = paris | usual
    note_results_of_cases(told, "when a digest is due", lambda name: digest_day.digest_due_at(*days[name]), days)
    noon = datetime(2026, 3, 12, 12, tzinfo=UTC)
    seconds = timedelta(seconds=1)
    moments = {
        f"{zone} {hour} {moment}": (at(zone, hour), moment)
        for zone in ("UTC", "Pacific/Chatham")
        for hour in (12, 1)
        for moment in (noon, noon - seconds)
    }
    note_results_of_cases(
        told, "the last one that was due", lambda name: digest_day.latest_digest_day(*moments[name]), moments
    )

    def skip(number: int) -> None:
        with site.writing() as work:
            digest_day.skip_past_digest(work, work.get_one(Player, number), house.clock())

    told.do("nobody wants digests", lambda: skip(1))
    told.do("Bob's of the past hour", lambda: skip(2))
    told.do("once more", lambda: skip(2))
    told.lines += ["", f"  {result_in_a_line(lambda: digest_day.digest_key(2, date(2026, 3, 1)))}"]
