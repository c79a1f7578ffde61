"""Matches as each viewer sees them: the sheet, the story, the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import date
from typing import Any

from pbem.kit.contract import Scene, Viewer
from pbem.kit.texts import Lang
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.lobby import matches
from pbem.services.log import store
from pbem.services.play import presence, takeback
from pbem.services.views import match_views
from pbem.services.views.match_views import Holiday, Sheet, SheetSeat, View
from tests.services.chronicles.chronicle import Chronicle, value_in_a_line
from tests.services.letterbox import id_of
from tests.table import House

OMITTED = ("game", "options")


def _sheet(shown: Sheet) -> dict[str, Any]:
    said = {one.name: getattr(shown, one.name) for one in fields(shown) if one.name not in OMITTED}
    own = ("names", "bots", "alike", "mark", "is_over_by_table", "over", "open", "has_ended")
    return {name: value_in_a_line(value) for name, value in said.items()} | {
        name: value_in_a_line(getattr(shown, name)) for name in own
    }


def _scene(view: View, lang: Lang) -> Scene:
    return view.scene(view.recap(lang))


def tell(house: House, told: Chronicle) -> None:
    invited = house.create()
    told.skip()
    _tell_before_start(house, told, invited)
    match_id = house.begin(3)
    house.drain()
    told.skip()
    _tell_running(house, told, match_id)
    _tell_stories(house, told, match_id)
    _tell_logs(house, told, match_id, invited)
    _tell_seats(told)


def _reads(house: House, match_id: str, viewer: Viewer) -> Callable[[], Any]:
    return lambda: _sheet(match_views.read_sheet(house.site, match_id, viewer))


def _tell_before_start(house: House, told: Chronicle, match_id: str) -> None:
    told.part("before the start")
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    with house.site.writing() as work:
        work.get_one(Player, id_of(house, "Bob")).bounced_at = house.clock.at
        work.get_one(SeatRow, (match_id, 2)).name = "(C)"
    told.skip()
    told.do("what Alice sees", _reads(house, match_id, 0))
    for viewer in (1, None):
        shown = match_views.read_sheet(house.site, match_id, viewer)
        told.do(f"whether mails bounce, for {viewer}", lambda shown=shown: [one.bounces for one in shown.seats])  # type: ignore[misc]
    told.do(
        "her view",
        lambda: (
            house.view(match_id, 0).entries,
            house.view(match_id, 0).legal(),
            house.view(match_id, 0).story("en", 0),
        ),
    )
    with house.site.writing() as work:
        work.get_one(Player, id_of(house, "Bob")).bounced_at = None
    told.skip()


def _tell_running(house: House, told: Chronicle, match_id: str) -> None:
    told.part("while it runs")
    site = house.site
    with site.writing() as work:
        work.get_one(Player, id_of(house, "Bob")).bounced_at = house.clock.at
    told.skip()
    for viewer in (0, 1, None):
        told.do(f"what {viewer} sees", _reads(house, match_id, viewer))
    told.do("who is not there", lambda: match_views.read_sheet(site, "f" * 24, 0))
    told.do("with an id that is none", lambda: match_views.read_sheet(site, "x", 0))
    told.do("what Bob may answer", lambda: (house.view(match_id, 1).legal(), house.view(match_id, None).legal()))
    with site.writing() as work:
        work.get_one(Match, match_id).spectators = False
    told.skip()
    told.do("a spectator, where none is admitted", _reads(house, match_id, None))
    told.do("Alice, where none is admitted", lambda: match_views.read_sheet(site, match_id, 0).spectators)
    with site.reading() as session:
        told.do(
            "whether anybody may watch", lambda: match_views.is_watchable(session, store.get_match(session, match_id))
        )
    with site.writing() as work:
        work.get_one(Match, match_id).spectators = True
    told.skip()
    with site.reading() as session:
        told.do(
            "whether anybody may now", lambda: match_views.is_watchable(session, store.get_match(session, match_id))
        )
    shown = match_views.read_sheet(site, match_id, 0)
    told.do("with another name", lambda: shown.with_name(1, "A1ice").alike)
    told.do("with the same name", lambda: shown.with_name(1, "Alice").alike)


def _lines(view: View, lines: Any) -> Any:
    return [(one.n, one.text, one.undone) for one in lines]


def _tell_stories(house: House, told: Chronicle, match_id: str) -> None:
    told.part("stories")
    site = house.site
    for seat in range(3):
        house.play(match_id, seat)
    first = house.asks(match_id)[0].seat
    house.play(match_id, first)
    told.skip()
    for viewer, lang in ((0, "fr"), (first, "en"), (None, "en")):
        view = house.view(match_id, viewer)
        told.do(f"for {viewer}", lambda view=view, lang=lang: _lines(view, view.story(lang, 0)))  # type: ignore[misc]
        told.do(f"its end, for {viewer}", lambda view=view, lang=lang: _lines(view, view.story(lang, after=3)))  # type: ignore[misc]
    fresh = house.view(match_id, 0)
    fresh.told.clear()
    told.do(
        "its end, and then all of it",
        lambda: (len(fresh.story("en", after=3)), len(fresh.story("en", after=1)), len(fresh.story("en", after=2))),
    )
    told.do("after its last entry", lambda: fresh.story("en", after=fresh.entries[-1].n))
    for seen in (None, 0, 3, 100):
        for viewer in (0, first):
            with site.writing() as work:
                work.get_one(SeatRow, (match_id, viewer)).seen = seen
            view = house.view(match_id, viewer)
            last = view.last_own
            told.skip()
            recap, news = [(n, one.n) for n, one in view.recap("en")], view.news("en")
            paged = [one.n for one in news.lines], news.unread
            said = view.newest_seen, paged, recap, last.n if last else None
            told.do(f"{viewer} has seen {seen}", lambda said=said: said)  # type: ignore[misc]
    spectator = house.view(match_id, None)
    told.do(
        "a spectator",
        lambda: (spectator.newest_seen, spectator.news("en").unread, spectator.last_own, len(spectator.recap("en"))),
    )
    told.do("the scene", lambda: _scene(house.view(match_id, first), "en"))
    told.do("what a board marks", lambda: _scene(spectator, "en").recent)

    _tell_takebacks(house, told)
    other = house.asks(match_id)[0].seat
    told.skip()
    told.do("one resigns", lambda: presence.resign(site, house.claim("play", match_id, other)))
    resigned = match_views.read_sheet(site, match_id, None)
    told.do("who has resigned", lambda: [resigned.has_resigned(seat) for seat in (0, 1, 2, None)])
    told.do("their scene", lambda: _scene(house.view(match_id, other), "fr").resigned)
    told.do(
        "what happened after 4", lambda: [one.n for one in match_views.read_events(site, match_id, None, 4)[1].entries]
    )


def _tell_takebacks(house: House, told: Chronicle) -> None:
    site = house.site
    match_id = house.begin(2, "niigata")
    taker = house.asks(match_id)[0].seat
    house.play(match_id, taker)
    told.skip()
    own = house.view(match_id, taker).last_own
    assert own is not None
    to = own.n - 1
    told.do("somebody asks to take it back", lambda: takeback.take_back(site, house.claim("play", match_id, taker), to))
    told.do("their request", lambda: match_views.read_sheet(site, match_id, None).takeback)
    told.do("the other agrees",
            lambda: takeback.answer_takeback_request(site, house.claim("play", match_id, 1 - taker), to,
            agree=True))  # fmt: skip
    view = house.view(match_id, None)
    told.do("what is taken back", lambda: _lines(view, view.story("en", 0)))
    told.do("the scene then", lambda: _scene(view, "en"))
    told.do("the last move of who took it back", lambda: house.view(match_id, taker).last_own)


def _tell_logs(house: House, told: Chronicle, match_id: str, invited: str) -> None:
    told.part("logs")
    site = house.site

    def log(at: str, viewer: Viewer) -> Callable[[], Any]:
        def read() -> Any:
            found = match_views.read_log(site, at, viewer)
            proof = found.proof
            assert proof is not None
            return {
                "viewer": found.viewer, "seats": found.seats, "seed": found.seed, "entries": len(found.entries),
                "sealed": [len(one) for one in proof.sealed], "salts": [len(one) for one in proof.salts],
                "until": proof.sealed_until, "head": proof.head, "deal": proof.deal,
            }  # fmt: skip

        return read

    told.do("before the start", log(invited, 0))
    matches.cancel_or_leave_match(site, house.claim("play", invited, 0))
    told.skip()
    told.do("called off", log(invited, 0))
    told.do("why", lambda: match_views.read_sheet(site, invited, 0).cancelled)
    told.do("while it runs, for Alice", log(match_id, 0))
    told.do("for a spectator", log(match_id, None))
    match_id = house.begin(3)
    house.play_out(match_id)
    told.skip()
    told.do("when it is over", log(match_id, 0))
    told.do("how it ended", _reads(house, match_id, None))
    view = house.view(match_id, 0)
    told.do("the last scene", lambda: (_scene(view, "en").over, _scene(view, "en").resigned, view.ask))


def _tell_seats(told: Chronicle) -> None:
    told.part("seats")
    away = (Holiday(date(2026, 3, 10), date(2026, 3, 12)), Holiday(date(2026, 3, 20), date(2026, 3, 20)))
    seat = SheetSeat(1, "B", "invited", False, holidays=away)
    for day in (9, 10, 12, 13, 20, 21):
        told.do(f"away on the {day}th", lambda day=day: seat.away_until(date(2026, 3, day)))  # type: ignore[misc]
    for name, status in (("(B)", "invited"), ("B", "invited"), ("(B)", "accepted")):
        told.do(f"whether {name}, who has {status}, is unnamed", lambda name=name, status=status: SheetSeat(  # type: ignore[misc]
            1, name, status, False).is_unnamed)  # fmt: skip
