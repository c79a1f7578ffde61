"""Replays step by step, their pictures, and logs that come from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import msgspec
from sqlalchemy import text

from pbem.errors import Busy, GameUnavailable, NotFound
from pbem.kit.logs import logfile
from pbem.kit.replay import redacted
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.site import Site
from pbem.services.views import log_replay, match_views, replay_drawing, replay_pictures, replays, saved_boards, stored_logs
from pbem.services.views.reels import Reel
from pbem.services.views.replay_pictures import Wanted
from pbem.services.views.replays import Replay
from pbem.services.views.saved_boards import Boards
from pbem.services.who import STRANGER
from tests.harness.undrawn import frames_flat
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House

SETTINGS = {"logs_mb": 1}


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin(3)
    for seat in range(3):
        house.play(match_id, seat)
    told.skip()
    _replays(house, told, match_id)
    with frames_flat():
        _pictures(house, told, match_id)
    house.play_out(match_id)
    told.skip()
    told.part("once it is over")
    for eyes in ("", 2, None, "all"):
        told.do(f"through the eyes of “{eyes}”", _steps(house, match_id, 0, eyes))
    told.do("of one who is not there", _steps(house, match_id, 0, 3))
    with frames_flat():
        _pages(house, told, match_id)
    _logs(house, told, match_id)


def _shown(seen: Replay) -> Any:
    return {
        "eyes": seen.eyes, "bots": seen.bots, "turns": [(one.step, one.round, one.seat) for one in seen.turns()],
        "steps": [(one.n, one.entry, one.text, one.turn, one.seat, one.opens) for one in seen.steps],
    }  # fmt: skip


def _steps(house: House, match_id: str, viewer: int | None, eyes: Any = "") -> Callable[[], Any]:
    return lambda: _shown(replays.read_replay(house.site, match_id, viewer, "en", eyes))


def _replays(house: House, told: Chronicle, match_id: str) -> None:
    told.part("while it runs")
    site = house.site
    for viewer, eyes in ((0, ""), (1, None), (None, ""), (0, 1), (0, 3), (0, "all"), (None, 0)):
        told.do(f"what {viewer} sees through the eyes of “{eyes}”", _steps(house, match_id, viewer, eyes))
    sheet = match_views.read_sheet(site, match_id, 0)
    for seat in (0, None):
        told.do(f"what {seat} may choose", lambda seat=seat: (  # type: ignore[misc]
            replays.choices(sheet, seat), replays.choices(replace(sheet, spectators=False), seat),
            replays.choices(replace(sheet, status="over"), seat),
            replays.choices(replace(sheet, status="over", sealed=True), seat)))  # fmt: skip
    for key in ("r2.t5.call", "r12.", "r12345.x", "t5", "", "ar1."):
        told.do(f"the round of “{key}”", lambda key=key: replays.round_of(key))  # type: ignore[misc]
    seen = replays.read_replay(site, match_id, 0, "fr")
    step = seen.steps[-1]
    told.do("a board", lambda: str(seen.board(step)))
    told.do("a board counted from three", lambda: str(seen.board(step, "landscape", 3)))
    told.do("of one who has resigned", lambda: str(replace(seen, resigned=True, bots=frozenset({1})).board(step)))
    told.do("a picture", lambda: str(seen.picture(step)))
    told.do("a line", lambda: str(seen.line(step)))
    told.do("eyes in words", lambda: [replay_pictures.eyes_word(eyes) for eyes in (None, 0, "all")])  # type: ignore[arg-type, attr-defined]
    told.do("and back", lambda: [replay_pictures.read_eyes(word) for word in ("none", "0", "all", "2")])


def _asks(house: House, match_id: str, seat: int | None = 0, eyes: Any = "", **wanted: Any) -> Callable[[], str]:
    asked: Any = {"kind": "gif", "first": 1, "last": 2} | wanted
    return lambda: replay_pictures.request_picture(house.site, match_id, seat, "en", eyes, Wanted(**asked))


def _sql(site: Site, statement: str, **values: object) -> None:
    with site.engine.begin() as connection:
        connection.execute(text(statement), values)


def _pictures(house: House, told: Chronicle, match_id: str) -> None:
    told.part("pictures")
    site = house.site
    ask = _asks(house, match_id)
    new = house.create()
    told.skip()
    told.do("of a match that has not begun", _asks(house, new))
    for first, last in ((0, 1), (2, 1), (1, 99), (99, 99)):
        told.do(f"from {first} to {last}", _asks(house, match_id, first=first, last=last))
    told.do("of a step that is not there", _asks(house, match_id, kind="png", first=99))
    told.do("of a page", _asks(house, match_id, kind="htm"))
    with patch.object(replay_pictures, "MOST", 1):
        told.do("of too many steps", ask)
    first = told.do("of two steps", ask) or ""
    told.do("the same", ask)
    told.do("fast, in the dark", _asks(house, match_id, pace="fast", theme="dark"))
    told.do("of one step", _asks(house, match_id, kind="png", first=2, last=0))
    told.do("a fourth", _asks(house, match_id, pace="slow"))
    told.do("another's", _asks(house, match_id, 1))
    told.do("a spectator's", _asks(house, match_id, None))
    with patch.object(replay_pictures, "OPEN_ALL", 5):
        told.do("while too many are drawn", _asks(house, match_id, None, first=2))
    told.do("how far it is", lambda: replay_pictures.read_picture(site, match_id, 0, first))
    told.do("its file", lambda: replay_pictures.read_file(site, match_id, 0, first))
    told.do("for another", lambda: replay_pictures.read_picture(site, match_id, 1, first))
    told.do("of another match", lambda: replay_pictures.read_picture(site, new, 0, first))

    def draw() -> int:
        return replay_drawing.draw_frames(site)

    house.clock.forward(seconds=1)
    with patch.object(replay_drawing, "RUN_S", -1.0):
        told.do("a frame is drawn", draw)
    with patch.object(replay_drawing, "RUN_S", 3600.0):
        for n in range(5):
            told.do(f"as many as there are, {n + 2}", draw)
        for seat, more in ((0, {"pace": "slow"}), (0, {"first": 2}), (0, {"kind": "png"}), (1, {"pace": "slow"}),
                           (1, {"first": 2}), (None, {"pace": "slow"})):  # fmt: skip
            _asks(house, match_id, seat, **more)()
            house.clock.forward(seconds=1)
        told.skip()
        with patch.object(replay_drawing, "LARGEST", 10):
            told.do("one that is too large", draw)
        with patch.object(replays, "read_replay", side_effect=Busy("busy")):
            try:
                draw()
            except Busy:
                told.do("the database was busy", lambda: None)
        with patch.object(replays, "read_replay", side_effect=GameUnavailable("away")):
            told.do("the game is away", draw)
        with patch.object(replays, "read_replay", side_effect=NotFound("gone")):
            told.do("nobody may see it any more", draw)
        house.clock.forward(minutes=11)
        with patch.object(replays, "read_replay", side_effect=ZeroDivisionError):
            told.do("a fault", draw)
        _sql(site, "UPDATE replay_pictures SET attempts = 3 WHERE done_at IS NULL")
        told.skip()
        told.do("one whose worker died each time", draw)
        told.do("nothing is due", draw)
        told.do("one that came to nothing is asked for again", _asks(house, match_id, None))
        _sql(site, "UPDATE replay_pictures SET seen = 'other' WHERE done_at IS NULL")
        told.skip()
        told.do("it shows something else by now", draw)
    found = told.do("the file", lambda: replay_pictures.read_file(site, match_id, 0, first))
    assert found is not None
    told.do("its frames", lambda: found.data.count(b"\x00\x21\xf9\x04"))
    told.do("how far it is now", lambda: replay_pictures.read_picture(site, match_id, 0, first))
    _rooms(house, told, match_id, first)


def _rooms(house: House, told: Chronicle, match_id: str, first: str) -> None:
    site = house.site
    for size, why in ((399_000_000, "there is room"), (400_000_000, "the oldest go")):
        _sql(site, "UPDATE replay_pictures SET size = :size, done_at = created_at WHERE id = :id", size=size, id=first)
        told.skip()
        told.do(why, _asks(house, match_id, 2, first=2, pace="slow" if size == 399_000_000 else "fast"))
    _sql(site, "UPDATE replay_pictures SET size = 400000000, done_at = NULL WHERE id = (SELECT min(id) FROM replay_pictures)")
    told.skip()
    told.do("unfinished ones take it all", _asks(house, match_id, 2, first=2, pace="normal"))
    house.clock.forward(days=1)
    told.do("its day is over", lambda: replay_pictures.read_picture(site, match_id, 0, first))

    def forget(most: int) -> Callable[[], int]:
        def run() -> int:
            with site.writing() as work:
                return replay_pictures.forget_old(work, site.now(), most)

        return run

    told.do("one is forgotten", forget(1))

    def forget_all() -> None:
        with site.writing() as work:
            replay_pictures.forget_match(work, match_id)

    told.do("all of the match", forget_all)


def _pages(house: House, told: Chronicle, match_id: str) -> None:
    told.part("pages")
    site = house.site
    with patch.object(saved_boards, "MOST", 3):
        told.do("of a long replay", _asks(house, match_id, kind="htm"))
    page = told.do("of a replay", _asks(house, match_id, kind="htm")) or ""
    with patch.object(replay_drawing, "RUN_S", -1.0):
        told.do("a board is drawn", lambda: replay_drawing.draw_frames(site))
    with patch.object(replay_drawing, "RUN_S", 3600.0):
        told.do("the rest", lambda: replay_drawing.draw_frames(site))
    kept = saved_boards.read(replay_pictures.read_file(site, match_id, 0, page).data)
    seen = replays.read_replay(site, match_id, 0, "en")
    boards = [*saved_boards.unpack(kept)]
    told.do("what it holds", lambda: (len(boards), boards == [seen.picture(one) for one in seen.steps], kept.uses, len(kept.draws or ())))
    two = Boards(Boards(b"").data())
    two.add('<g><use href="#a"/>x</g>')
    two.add('<g><use href="#a"/>y</g>')
    again = Boards(two.data())
    log = match_views.read_log(site, match_id, 0)
    told.do("what is packed", lambda: saved_boards.read(again.finish(msgspec.structs.replace(log, seed=None))))
    reel = Reel(seen, seen.steps[:2], "light")
    head = reel.head()
    told.do("a reel", lambda: (len(head), len(reel.frame(head, 0, 700)), len(reel.frame(head, 1, 700)), len(reel.png())))


def _logs(house: House, told: Chronicle, match_id: str) -> None:
    told.part("logs from elsewhere")
    site, alice, bob = house.site, id_of(house, "Alice"), id_of(house, "Bob")
    log = match_views.read_log(site, match_id, 0)
    document = logfile.write(log)
    own = msgspec.structs.replace(log, viewer=1, seed=None, entries=tuple(redacted(log.entries, 1)))
    names = ("A", "B", "C")
    for title, one in (("a full log", log), ("somebody's own", own)):
        told.do(f"the eyes of {title}", lambda one=one: log_replay.choices(one))  # type: ignore[misc]
        for eyes in ("", 0, 1, 3, None, "all"):
            def read(one: Any = one, eyes: Any = eyes) -> Any:
                found = log_replay.replay_log(one, "en", names, eyes)
                return found.eyes, len(found.steps), found.steps[0].text

            told.do(f"{title} through the eyes of “{eyes}”", read)
    replay = log_replay.replay_log(log, "en", names, "")
    with patch.object(log_replay, "MAX_PICTURE", 10):
        told.do("a board that is too large", lambda: str(replay.picture(replay.steps[0])))
    with patch.object(Replay, "board", side_effect=ZeroDivisionError):
        told.do("a board that cannot be drawn", lambda: str(replay.picture(replay.steps[1])))
    with patch.object(Replay, "line", side_effect=ZeroDivisionError):
        told.do("a line that cannot be told", lambda: str(replay.line(replay.steps[1])))
    told.do("none", lambda: log_replay.open_log(b"{}").viewer)

    def keep(who: Any, **more: Any) -> Callable[[], Any]:
        def run() -> Any:
            found = stored_logs.keep(site, who, document, **more)
            return found.id, found.until, found.log.viewer

        return run

    told.do("a stranger's is kept", keep(STRANGER, lasts=stored_logs.OPENED))
    first = told.do("Alice's is kept", keep(alice, once=IdempotencyKey("Alice", "1", "log")))
    told.do("and again", keep(alice, once=IdempotencyKey("Alice", "1", "log")))
    assert first is not None
    told.do("it is read", lambda: stored_logs.read(site, first[0]) == document)
    told.do("it is opened", lambda: (stored_logs.open_kept(site, first[0]).until, stored_logs.open_kept(site, first[0]).id))
    told.do("one that is not there", lambda: stored_logs.read(site, "f" * 24))
    told.do("what names none", lambda: stored_logs.read(site, "x"))
    told.do("Bob deletes it", lambda: stored_logs.delete_for(site, bob, first[0]))
    told.do("Alice does", lambda: stored_logs.delete_for(site, alice, first[0]))
    told.do("she sends it again", keep(alice, once=IdempotencyKey("Alice", "1", "log")))
    second = told.do("another", keep(alice))
    assert second is not None
    for size, who in ((100_000, alice), (100_000, bob), (500_000, STRANGER), (1_000_000, bob)):
        _sql(site, "UPDATE imported_logs SET size = :size WHERE id = :id", size=size, id=second[0])
        if who is STRANGER:
            _sql(site, "UPDATE imported_logs SET player_id = NULL WHERE id = :id", id=second[0])
        told.skip()
        told.do(f"where {size} bytes are taken", keep(who))
    house.clock.forward(days=30, seconds=-1)
    told.do("a second before its month is over", lambda: stored_logs.read(site, second[0]) == document)
    house.clock.forward(seconds=1)
    told.do("when it is", lambda: stored_logs.read(site, second[0]))

    def forget(most: int) -> int:
        with site.writing() as work:
            return stored_logs.forget_old(work, site.now(), most)

    told.do("one is forgotten", lambda: forget(1))
    told.do("the rest", lambda: forget(1000))
    third = told.do("one more", keep(bob))
    assert third is not None
    told.do("the host throws it away", lambda: stored_logs.throw_away(site, third[0]))
    told.do("and again", lambda: stored_logs.throw_away(site, third[0]))
