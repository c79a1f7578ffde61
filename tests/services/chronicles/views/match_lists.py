"""A player's own matches: all at once, and page by page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import select

from pbem.kit.codec import encode
from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services.lobby import matches
from pbem.services.players import players
from pbem.services.tokens import PlayClaim
from pbem.services.views import match_list, match_views
from pbem.services.views.match_list import MyMatch, Wanted
from tests.services.chronicles.chronicle import Chronicle, value_in_a_line
from tests.services.letterbox import id_of
from tests.table import START, House


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    made = _matches(house)
    told.skip()
    _all_at_once(house, told)
    _tell_pages(house, told, made)
    told.part("cursors")
    bob = id_of(house, "Bob")
    for cursor in ("", "=", "eA", "MjAyNi0wMy0xMlQxMjowMDowMC5hYg", "é", "MjAyNg.x"):
        told.do(
            f"the cursor “{cursor}”",
            lambda cursor=cursor: match_list.page_of_own_matches(site, bob, Wanted(after=cursor)),  # type: ignore[misc]
        )


def _matches(house: House) -> dict[str, str]:
    """Plays matches of each kind, the oldest first."""
    site = house.site
    made = {"over": house.begin(3)}
    house.play_out(made["over"])
    house.clock.forward(hours=1)
    made["waits"] = house.begin(3)
    house.clock.forward(hours=1)
    made["answered"] = house.begin(3, turn_s=86_400)
    house.clock.forward(hours=1)
    made["niigata"] = house.begin(2, "niigata")
    made["same moment"] = house.begin(2, "niigata")
    house.clock.forward(hours=1)
    for name in ("invited", "accepted", "declined", "cancelled"):
        made[name] = house.create()
        matches.confirm_match(site, house.claim("confirm", made[name], 0), "fr", "Europe/Paris")
        house.clock.forward(minutes=1)
    matches.accept_invitation(site, house.claim("invitation", made["accepted"], 1), "en", "Europe/London")
    matches.decline_invitation(site, house.claim("invitation", made["declined"], 1))
    matches.cancel_or_leave_match(site, house.claim("play", made["cancelled"], 0))
    made["unconfirmed"] = house.create()
    with site.writing() as work:
        work.get_one(Match, made["answered"]).rematch_of = made["over"]
        work.get_one(Match, made["niigata"]).rematch_of = made["declined"]
        for name, seat in (("answered", 1), ("same moment", 0)):
            (ask,) = work.exec(select(AskRow).where(AskRow.match_id == made[name], AskRow.seat == seat)).all()
            ask.sealed_at, ask.sealed = site.now(), encode(house.view(made[name], seat).legal()[0]).decode()
        work.get_one(SeatRow, (made["niigata"], 0)).resigned = True
        work.get_one(SeatRow, (made["waits"], 1)).seen = 2
        work.get_one(SeatRow, (made["answered"], 0)).muted = True
    return made


def _what_is_seen(mine: MyMatch) -> tuple[Any, ...]:
    return mine.sheet.id, mine.sheet.status, mine.seat, mine.purpose, mine.is_asked, mine.sheet.seen, mine.token[:4]


def _all_at_once(house: House, told: Chronicle) -> None:
    told.part("all at once")
    site = house.site

    def account(name: str) -> Any:
        return players.read_account(site, id_of(house, name))

    for name in ("Alice", "Bob", "Carol"):
        who = account(name)
        told.do(f"{name}'s", lambda who=who: [_what_is_seen(one) for one in match_list.read_my_matches(site, who)])  # type: ignore[misc]
    bob = account("Bob")

    def only(*purposes: Any) -> Callable[[], list[Any]]:
        def read() -> list[Any]:
            with site.reading() as session:
                return [_what_is_seen(one) for one in match_list.my_matches(site, session, account("Alice"), purposes)]

        return read

    told.do("those that Alice is to confirm", only("confirm"))
    told.do("those and her own", only("confirm", "play"))
    told.do("what the navigation says of Bob", lambda: match_list.read_navigation(site, id_of(house, "Bob")))

    def waits(who: Any, besides: str = "") -> tuple[str, str, int] | None:
        found = match_list.read_next_turn(site, who, besides)
        if found is None:
            return None
        claim = site.tokens.read(PlayClaim, found.token)
        return found.game.meta.slug, claim.match_id, claim.seat

    first = waits(bob)
    told.do("what waits for Bob first", lambda: first)
    assert first is not None
    told.do("what waits besides that", lambda: waits(bob, first[1]))
    told.do("what waits for Alice first", lambda: waits(account("Alice")))
    _tell_standings(house, told)


def _tell_standings(house: House, told: Chronicle) -> None:
    told.part("how they stand")
    site = house.site

    def read(name: str, known: tuple[str, ...] = (), since: datetime | None = None) -> dict[str, Any]:
        found = match_list.read_own_match_standings(site, id_of(house, name), known, since)
        assert {place.match_id for place in found.places} == {one.id for one in found.matches.values() if one.goes_on}
        return {one.id[-4:]: value_in_a_line(one) for one in found.matches.values()}

    with site.reading() as session:
        over = session.exec(select(Match).where(Match.status == "over")).one()
    assert over.ended_at is not None
    ended = over.ended_at
    told.do("for Bob", lambda: read("Bob"))
    told.do("for Bob, who knows one that is over", lambda: read("Bob", (over.id, "f" * 24)))
    told.do("for Bob, since one ended", lambda: read("Bob", (), ended + timedelta(minutes=1)))
    told.do("for Bob, a moment later", lambda: read("Bob", (), ended + timedelta(minutes=1, microseconds=1)))
    told.do("for Alice, since ever", lambda: read("Alice", (), START))
    told.do("for Carol", lambda: read("Carol"))


def _tell_pages(house: House, told: Chronicle, made: dict[str, str]) -> None:
    told.part("page by page")
    site, alice, bob = house.site, id_of(house, "Alice"), id_of(house, "Bob")
    names = {match_id: name for name, match_id in made.items()}

    def page(player: int = bob, **wanted: Any) -> Callable[[], Any]:
        def read() -> Any:
            found, after = match_list.page_of_own_matches(site, player, Wanted(**wanted))
            said = [
                (names[one.match.id], one.own.seat, one.asked, one.deadline, len(one.seats), one.former,
                 *match_views.end_of(one.match.status, one.match.outcome))
                for one in found
            ]  # fmt: skip
            return {"matches": said, "after": after}

        return read

    told.do("Bob's", page())
    told.do("Alice's", page(alice))
    first = told.do("Bob's first two", page(limit=2))
    assert first is not None
    after = first["after"]
    while after is not None:
        more = told.do("and two more", page(limit=2, after=after))
        assert more is not None
        after = more["after"]
    told.do("as many as there are", page(limit=7))
    told.do("those that run", page(statuses=("running",)))
    told.do("those that are over or called off", page(alice, statuses=("over", "cancelled")))
    told.do("those of a game", page(game="niigata"))
    told.do("those where it is his turn", page(turn=True))
    told.do("those where it is not", page(turn=False))
    told.do("those that he is invited to", page(seats=("invited",)))
    told.do("those that he has taken", page(seats=("accepted",)))
    told.do("those that he has declined", page(seats=("declined",)))
    told.do("somebody's without any", page(10_000))
