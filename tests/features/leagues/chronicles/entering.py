"""Who enters a season: by themselves, by mail, invited by its organiser, and bots."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import insert, update

from pbem.environment import Smtp
from pbem.features.leagues.claims import EntrantClaim
from pbem.features.leagues.entry import entering, entrants
from pbem.features.leagues.tables import Entrant, Season
from pbem.models.tables import Player, table
from pbem.services import versions
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import Invitee
from pbem.services.who import HOST, STRANGER, Caller
from tests.features.leagues.stage import DAY, found_league, id_of_player
from tests.features.leagues.stage import entrants_by_name as rows_of
from tests.services.chronicles.chronicle import Chronicle
from tests.table import CAST, House, address_of

RELAY = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
SETTINGS = {"smtp": RELAY, "mails_per_address_day": 4, "open_matches": 9}
READER = ("en", "Europe/Paris")


def tell(house: House, told: Chronicle) -> None:
    for name in (*CAST, "Charlie"):
        id_of_player(house, name)
    season_id = found_league(house, matches=3, rest_days=None).season_id
    told.skip()
    _tell_entering(house, told, season_id)
    _tell_asking(house, told, season_id)
    _tell_inviting(house, told, season_id)
    _tell_bots(house, told, season_id)
    _tell_views_of_season(house, told, season_id)
    _tell_erasure(house, told, season_id)
    _tell_limit_reached(house, told)


def _claim(house: House, entrant_id: int, name: str) -> EntrantClaim:
    return EntrantClaim(entrant_id, house.site.tokens.address_digest(address_of(name)))


def _tell_entering(house: House, told: Chronicle, season_id: str) -> None:
    told.part("by themselves")
    site = house.site

    def enter(who: str, name: str, once: str | None = None, of: str = season_id, version: str | None = None) -> int:
        key = IdempotencyKey(who, "enter", once) if once is not None else None
        return entering.enter_player(site, id_of_player(house, who), of, name, once=key, version=version)

    told.do("Bob enters", lambda: enter("Bob", " Bob ", "a"))
    told.do("the same request again", lambda: enter("Bob", "Bob", "a"))
    told.do("another with its key", lambda: enter("Bob", "Bob", "b"))
    house.clock.forward(minutes=1)
    told.do("Bob changes the name", lambda: enter("Bob", "Robert"))
    told.do("by a form that is old", lambda: enter("Bob", "Rob", version=versions.digest_of_values("Bob")))
    told.do("by one in which it is unchanged", lambda: enter("Bob", "Bob", version=versions.digest_of_values("Bob")))
    told.do("by a new one", lambda: enter("Bob", "Bob", version=versions.digest_of_values("Robert")))
    told.do("Carol enters as somebody else", lambda: enter("Carol", "BOB"))
    told.do("without a name", lambda: enter("Carol", " "))
    told.do("no season", lambda: enter("Carol", "Carol", of="0"))
    told.do("Carol enters", lambda: enter("Carol", "Carol"))
    told.do("Carol withdraws", lambda: entering.withdraw_player(site, id_of_player(house, "Carol"), season_id))
    told.do("again", lambda: entering.withdraw_player(site, id_of_player(house, "Carol"), season_id))
    told.do(
        "somebody who never entered", lambda: entering.withdraw_player(site, id_of_player(house, "Fanny"), season_id)
    )
    told.do("of no season", lambda: entering.withdraw_player(site, id_of_player(house, "Fanny"), "0"))
    bob, p = id_of_player(house, "Bob"), table(Player)
    with site.writing() as work:
        spelled = Player(
            address="b.ob@googlemail.com",
            canonical="bob@gmail.com",
            language="en",
            zone="UTC",
            created_at=house.clock(),
        )
        work.add(spelled)
        work.flush()
        work.execute(update(p).where(p.c.id == spelled.id).values(verified_at=house.clock()))
        work.execute(update(p).where(p.c.id == bob).values(canonical="bob@googlemail.com"))
        number = spelled.id or 0
    told.skip()
    told.do("another spelling of Bob's address", lambda: entering.enter_player(site, number, season_id, "Bobby"))
    with site.writing() as work:
        work.execute(update(p).where(p.c.id == bob).values(canonical=address_of("Bob")))
    told.skip()
    second, third = (found_league(house, "Carol", matches=many).season_id for many in (6, 1))
    told.skip()
    told.do("Bob promises six more matches", lambda: enter("Bob", "Bob", of=second))
    told.do("and one too many", lambda: enter("Bob", "Bob", of=third))
    told.do("Bob may change a name", lambda: enter("Bob", "Robert", of=second))
    told.do("and withdraws there", lambda: entering.withdraw_player(site, id_of_player(house, "Bob"), second))
    told.do("what Bob reads", lambda: entering.read_entry(site, _claim(house, 1, "Bob")))
    told.do("what Carol reads there", lambda: entering.read_entry(site, _claim(house, 1, "Carol")))
    told.do("nobody", lambda: entering.read_entry(site, _claim(house, 999, "Carol")))


def _tell_asking(house: House, told: Chronicle, season_id: str) -> None:
    told.part("by mail")
    site = house.site

    def ask(name: str, address: str, of: str = season_id, zone: str = "Europe/Paris", language: str = "en") -> None:
        entering.send_entry_link(site, STRANGER, of, Invitee(name, address), language, zone)

    told.do("Newcomer asks", lambda: ask(" Newcomer ", "newcomer@example.org"))
    told.do("and again the same day, under another name", lambda: ask("Eva", "newcomer@example.org"))
    told.do("Bob asks, who has entered", lambda: ask("Bob", address_of("Bob")))
    told.do("Carol asks, who has withdrawn", lambda: ask("Carol", address_of("Carol")))
    told.do("one more than four a day", lambda: ask("Latecomer", "latecomer@example.org"))
    for title, given in {
        "no name": ("", "latecomer@example.org"), "no address": ("Latecomer", "latecomer"),
        "no season": ("Latecomer", "latecomer@example.org", "0"),
        "no zone": ("Latecomer", "g@example.org", season_id, "Atlantis"),
        "no language": ("Latecomer", "g@example.org", season_id, "UTC", "xx"),
    }.items():  # fmt: skip
        told.do(title, partial(ask, *given))
    newcomer = _entrant(house, season_id, "Newcomer")
    told.do("what Newcomer reads", lambda: entering.read_entry(site, _claim(house, newcomer, "Newcomer")))
    told.do("Newcomer presses yes", lambda: entering.enter_by_link(site, _claim(house, newcomer, "Newcomer")))
    house.clock.forward(minutes=1)
    told.do("again", lambda: entering.enter_by_link(site, _claim(house, newcomer, "Newcomer")))
    told.do("under Bob's name", lambda: entering.enter_by_link(site, _claim(house, newcomer, "Newcomer"), "Bob"))
    old = versions.digest_of_values("Eva")
    told.do(
        "by a form that is old",
        lambda: entering.enter_by_link(site, _claim(house, newcomer, "Newcomer"), "E", version=old),
    )
    told.do("with a link that is not theirs", lambda: entering.enter_by_link(site, _claim(house, newcomer, "Bob")))
    told.do(
        "Newcomer declines by an old mail", lambda: entering.decline_by_link(site, _claim(house, newcomer, "Newcomer"))
    )
    told.do("Newcomer withdraws", lambda: entering.withdraw_by_link(site, _claim(house, newcomer, "Newcomer")))
    told.do("again", lambda: entering.withdraw_by_link(site, _claim(house, newcomer, "Newcomer")))
    house.clock.forward(days=1)
    told.do("somebody types the address a day later", lambda: ask("Newcomer", "newcomer@example.org"))
    house.clock.forward(days=29, minutes=-1)
    with site.writing() as work:
        work.execute(update(table(Season)).values(starts_at=house.clock() + 60 * DAY, due_at=house.clock() + 60 * DAY))
    told.skip()
    told.do("a month later", lambda: ask("Newcomer", "newcomer@example.org"))
    house.clock.forward(minutes=1)
    told.do("a minute later", lambda: ask("Newcomer", "newcomer@example.org"))
    told.do("Newcomer declines", lambda: entering.decline_by_link(site, _claim(house, newcomer, "Newcomer")))


def _entrant(house: House, season_id: str, name: str) -> int:
    return rows_of(house, season_id)[name].id or 0


def _tell_inviting(house: House, told: Chronicle, season_id: str) -> None:
    told.part("invited")
    site = house.site
    house.clock.forward(days=1)

    def invite(*names: str, who: Any = None, once: str | None = None, of: str = season_id) -> int:
        people = [Invitee(name, address_of(name)) for name in names]
        key = IdempotencyKey("alice", "invite", once) if once is not None else None
        who = who or id_of_player(house, "Alice")
        return entering.invite_to_season(site, who, of, people, "fr", once=key)

    told.do("Alice invites five", lambda: invite("Stranger", "Dave", "Bob", "Carol", "Maximilienne", once="a"))
    told.do("the same request again", lambda: invite("Stranger", "Dave", "Bob", "Carol", once="a"))
    told.do("another with its key", lambda: invite("Stranger", once="b"))
    told.do("Dave again", lambda: invite("Dave"))
    told.do("Bob invites", lambda: invite("Fanny", who=id_of_player(house, "Bob")))
    told.do("to no season", lambda: invite("Fanny", of="0"))
    told.do("without a name", lambda: invite(" "))
    dave = _entrant(house, season_id, "Dave")
    told.do(
        "Alice removes Dave, who has not entered", lambda: entering.remove_entrant(site, _a(house), season_id, dave)
    )
    told.do("Dave presses yes", lambda: entering.enter_by_link(site, _claim(house, dave, "Dave"), "David"))
    told.do("Bob removes Dave", lambda: entering.remove_entrant(site, id_of_player(house, "Bob"), season_id, dave))
    told.do("Alice removes nobody", lambda: entering.remove_entrant(site, _a(house), season_id, 999))
    told.do("nor anybody who could be", lambda: entering.remove_entrant(site, _a(house), season_id, 2**31))
    other = found_league(house, "Alice").season_id
    told.skip()
    told.do("Dave, from another season", lambda: entering.remove_entrant(site, _a(house), other, dave))
    told.do("Alice removes Dave", lambda: entering.remove_entrant(site, _a(house), season_id, dave))
    told.do("the host invites somebody", lambda: invite("Outsider", who=HOST))
    many = [Invitee(f"N{number}", f"n{number}@example.org") for number in range(194)]
    told.do(
        "one more than 200 addresses a day", lambda: entering.invite_to_season(site, _a(house), season_id, many, "fr")
    )
    named = [Invitee(f"N{number % 2}", f"n{number % 2}@example.org") for number in range(193)]
    told.do("two of them, often", lambda: entering.invite_to_season(site, _a(house), season_id, named, "fr"))
    told.do("in no language", lambda: entering.invite_to_season(site, _a(house), season_id, named, "xx"))


def _a(house: House) -> int:
    return id_of_player(house, "Alice")


def _tell_bots(house: House, told: Chronicle, season_id: str) -> None:
    told.part("bots")
    site = house.site

    def bots(number: int, bot: str = "random", who: Any = None, once: str | None = None) -> list[int]:
        key = IdempotencyKey("alice", "bots", once) if once is not None else None
        return entering.enter_bots(site, who or _a(house), season_id, bot, number, once=key)

    told.do("Alice enters five", lambda: bots(5, once="a"))
    told.do("the same request again", lambda: bots(5, once="a"))
    told.do("another with its key", lambda: bots(4, once="b"))
    told.do("none", lambda: bots(0))
    told.do("more than 500", lambda: bots(501))
    told.do("an unknown one", lambda: bots(1, "deep"))
    told.do("Bob enters one", lambda: bots(1, who=id_of_player(house, "Bob")))
    told.do("eight more than there is room for", lambda: bots(8))
    told.do("as many as there is room for", lambda: bots(7, "greedy"))
    told.do("the host enters more", lambda: bots(2, who=HOST))
    told.do("whoever enters cannot be called like one", lambda: _name_of(house, season_id, "Akemi"))


def _name_of(house: House, season_id: str, name: str) -> int:
    return entering.enter_player(house.site, id_of_player(house, "Fanny"), season_id, name)


def _tell_views_of_season(house: House, told: Chronicle, season_id: str) -> None:
    told.part("who is seen")
    site = house.site
    viewers: dict[str, Caller] = {"a stranger": STRANGER, "Carol": id_of_player(house, "Carol")}
    for name, who in viewers.items():
        told.do(f"by {name}", partial(entrants.list_entrants, site, who, season_id))
    told.do("from the twentieth on", lambda: entrants.list_entrants(site, STRANGER, season_id, 20))
    carol = _entrant(house, season_id, "Carol")
    told.do("Carol, by Carol", lambda: entrants.read_entrant(site, id_of_player(house, "Carol"), season_id, carol))
    told.do("Carol, by Bob", lambda: entrants.read_entrant(site, id_of_player(house, "Bob"), season_id, carol))
    told.do("Carol, by a stranger", lambda: entrants.read_entrant(site, STRANGER, season_id, carol))
    told.do("nobody", lambda: entrants.read_entrant(site, STRANGER, season_id, 2**40))


def _tell_erasure(house: House, told: Chronicle, season_id: str) -> None:
    told.part("what is forgotten")
    site = house.site
    e = table(Entrant)
    now = house.clock()
    with site.writing() as work:
        work.execute(update(e).values(at=now))
        work.execute(update(e).where(e.c.id.in_((2, 4))).values(at=now - timedelta(days=30)))
        work.execute(update(e).where(e.c.name == "David").values(at=now - timedelta(days=30) + timedelta(seconds=1)))
        work.execute(update(e).where(e.c.status == "invited").values(at=now - timedelta(days=31)))
    last = found_league(house, "Alice").season_id
    entering.send_entry_link(site, STRANGER, last, Invitee("Last", "last@example.org"), *READER)
    with site.writing() as work:
        work.execute(update(e).where(e.c.name == "Last").values(at=now - timedelta(days=40)))
    told.skip()

    def forget(most: int) -> int:
        with site.writing() as work:
            return entering.forget_old(work, now, most)

    told.do("one at most", lambda: forget(1))
    told.do("the rest", lambda: forget(100))
    with site.writing() as work:
        work.execute(update(table(Season)).where(table(Season).c.id == season_id).values(status="running"))
    told.skip()
    told.do("once the season has begun", lambda: forget(100))


def _tell_limit_reached(house: House, told: Chronicle) -> None:
    told.part("room")
    site = house.site
    season_id = found_league(house, "Dave", pairing="organiser").season_id
    rows = [{"season_id": season_id, "name": f"P{n}", "status": "entered", "at": house.clock()} for n in range(500)]
    with site.writing() as work:
        work.connection().execute(insert(table(Entrant)), rows[:499])
    told.skip()
    told.do("two bots, where there is room for one", lambda: entering.enter_bots(site, HOST, season_id, "random", 2))
    told.do("the last one", lambda: _name_of(house, season_id, "Fanny"))
    told.do("too late", lambda: entering.enter_player(site, _a(house), season_id, "Alice"))
    told.do("once more the last one", lambda: _name_of(house, season_id, "Fanny"))
    told.do("a page of the entrants", lambda: _ends(*entrants.list_entrants(site, STRANGER, season_id)))
    with site.writing() as work:
        work.connection().execute(insert(table(Entrant)), rows[499:])
    told.skip()
    told.do("a page, where one more has entered", lambda: _ends(*entrants.list_entrants(site, STRANGER, season_id)))


def _ends(found: list[entrants.EntrantView], after: int | None) -> list[Any]:
    return [len(found), found[0].name, found[-1].name, f"after {after}"]
