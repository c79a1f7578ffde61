"""What the log of a match and everything derived from it become, move by move."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from pbem.kit.codec import encode
from pbem.kit.replay import Resumed
from pbem.models.tables import AskRow, Player, table
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, NewMatch
from pbem.services.log import cancellation, consent, leases, locks, outbox, proofs, store, windows
from pbem.services.log.table import lock_table, lock_with_ask
from pbem.services.play import presence, timeouts
from tests.harness.undrawn import replace_pictures
from tests.services.chronicles.cast import LONDON, PARIS, change_rows, invitee, invitees
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House
from tests.windows import answer_window, begin_silent, pass_floor

SETTINGS = {"mail_hold_s": 60}
DAY = 86_400


def tell(house: House, told: Chronicle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_pictures(patch)
        _with_a_bank(house, told)
        _with_bots(house, told)
        _tell_silent(house, told)
        _ending(house, told)
        _tell_long(house, told)
        _tell_reading(house, told)


def play_seat(house: House, told: Chronicle, title: str, match_id: str, seat: int, at: int = 0) -> None:
    """Has a seat play; what it gets for that has chronicles of its own."""
    told.do(title, lambda: house.play(match_id, seat, at).version)


def send_all_mails(house: House, told: Chronicle) -> None:
    """All mails leave a minute later, which is no part of the chronicle."""
    house.clock.forward(seconds=60)
    house.drain()
    told.skip()


def _with_a_bank(house: House, told: Chronicle) -> None:
    told.part("a bank of five days, and one more for each turn")
    match_id = house.create(3, bank_s=5 * DAY, increment_s=DAY)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *PARIS)
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *LONDON)
    told.skip()
    told.do("it begins", lambda: matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), *LONDON))
    send_all_mails(house, told)
    house.clock.forward(hours=10)
    play_seat(house, told, "ten hours later", match_id, 0)
    house.clock.forward(days=3)
    play_seat(house, told, "three days later", match_id, 1)
    send_all_mails(house, told)
    house.clock.forward(days=4)
    told.do("the clock plays", lambda: timeouts.sweep_deadlines(house.site))
    for number in range(3):
        ask = house.asks(match_id)[0]
        send_all_mails(house, told)
        house.clock.forward(hours=1)
        play_seat(house, told, f"move {number} of seat {ask.seat}, {ask.kind}", match_id, ask.seat)
    match_id = house.begin(3, "hexen-rennen", bank_s=5 * DAY, increment_s=60)
    change_rows(house, told, "UPDATE seats SET bank_s = 400000 WHERE match_id = :m", m=match_id)
    for number in range(7):
        house.clock.forward(minutes=7)
        change_rows(house, told, "UPDATE asks SET mailed_at = opened_at WHERE mailed_at IS NULL")
        ask = house.asks(match_id)[0]
        play_seat(house, told, f"move {number} of Hexen Rennen, {ask.kind}", match_id, ask.seat, -1)


def _with_bots(house: House, told: Chronicle) -> None:
    told.part("with bots, and a race")
    wanted: list[Any] = [invitee("Alice"), invitee("Bob"), BotSeat("random")]
    grab = NewMatch("niigata", wanted, options={"picking": "grab"}, late="vote")
    match_id = matches.create_match(house.site, id_of(house, "Alice"), grab)
    told.skip()
    told.do("it begins", lambda: matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *LONDON))
    for number in range(3):
        ask = next(one for one in house.asks(match_id) if one.seat != 2)
        play_seat(house, told, f"move {number} of seat {ask.seat}, {ask.kind}", match_id, ask.seat)
    told.do("Bob leaves", lambda: presence.resign(house.site, house.claim("play", match_id, 1)))
    told.do("the host ends it", lambda: cancellation.cancel_match_for_host(house.site, match_id))
    told.do("twice", lambda: cancellation.cancel_match_for_host(house.site, match_id))
    told.do("there is no such match", lambda: cancellation.cancel_match_for_host(house.site, "ff"))
    three = NewMatch("hogen", invitees("Alice", "Bob", "Carol"))
    inviting = matches.create_match(house.site, id_of(house, "Alice"), three)
    matches.accept_invitation(house.site, house.claim("invitation", inviting, 1), *LONDON)
    told.skip()
    told.do("one that has not begun", lambda: cancellation.cancel_match_for_host(house.site, inviting))


def _tell_silent(house: House, told: Chronicle) -> None:
    told.part("a silent window")
    site = house.site
    match_id = begin_silent(house, 3, bank_s=5 * DAY, increment_s=60, turn_s=3600, window_s=1800)
    change_rows(house, told, "UPDATE seats SET muted = true WHERE match_id = :m AND seat = 2", m=match_id)
    send_all_mails(house, told)
    asked = [ask.seat for ask in house.asks(match_id)]
    told.do("who is asked", lambda: asked)
    house.clock.forward(minutes=1)
    told.do("the first answers", lambda: answer_window(house, match_id, asked[0]).sealed)
    told.do("otherwise", lambda: answer_window(house, match_id, asked[0], challenge=True).sealed)
    told.do("the sweep looks", lambda: timeouts.sweep_deadlines(site))
    house.clock.forward(minutes=7)
    with site.writing() as work:
        locked = lock_table(work, match_id)
        told.do("anew, as somebody is back", lambda: windows.restart_window_time(locked))
    told.do("what that changes", lambda: None)
    for seat in asked[1:]:
        told.do("another", lambda seat=seat: answer_window(house, match_id, seat).sealed)  # type: ignore[misc]
    told.do("it closes", lambda: pass_floor(house, match_id))
    with site.reading() as session:
        match, game = store.get_match(session, match_id), store.game_by_slug("allegeance")
        told.do("keys", lambda: windows.keys_of_silent_windows(session, match_id))
        told.do("none", lambda: windows.keys_of_silent_windows(session, "ff"))
        told.do("hidden ones", lambda: windows.keys_to_hide(session, match, game))
    answered = begin_silent(house, 3, options={"target": 1, "memory": "open"})
    told.skip()
    told.do("none is silent where nothing is hidden", lambda: [one.deadline for one in house.asks(answered)])


def _ending(house: House, told: Chronicle) -> None:
    told.part("the end")
    match_id = house.begin(3)
    told.skip()
    while len(asked := house.asks(match_id)) and house.view(match_id, None).sheet.version < 7:
        house.play(match_id, asked[0].seat, -1)
    told.skip()
    play_seat(house, told, "the move before", match_id, house.asks(match_id)[0].seat, -1)
    while len(asked := house.asks(match_id)):
        play_seat(house, told, "the last one", match_id, asked[0].seat, -1)


def _tell_long(house: House, told: Chronicle) -> None:
    told.part("kept folds")
    match_id = house.begin(3)
    told.skip()
    while house.view(match_id, None).sheet.version < 62:
        with house.site.writing() as work:
            lock_table(work, match_id).record([Resumed()] * 2)
    told.skip()
    for seat in range(3):
        play_seat(house, told, f"seat {seat}", match_id, seat)

    with house.site.writing() as work:
        locked = lock_table(work, match_id)
        told.do("nothing is recorded", lambda: locked.record([]))
        told.do("ten facts are", lambda: locked.record([Resumed()] * 10))
    told.do("as rows", lambda: None)
    with house.site.writing() as work:
        locked = lock_table(work, match_id)
        locked.match.version -= 1
        told.do("beside another", lambda: locked.record([Resumed()]))
        work.rollback()
    told.do("what a cold process knows", lambda: _state(house, match_id))
    change_rows(house, told, "UPDATE folds SET body = X'7B'")
    told.do("from broken folds", lambda: _state(house, match_id))
    change_rows(house, told, "UPDATE folds SET n = 10000")
    told.do("from folds that are ahead", lambda: _state(house, match_id))


def _state(house: House, match_id: str) -> Any:
    """The state of the match, as a process folds it that knows nothing."""
    site = type(house.site)(house.site.config, house.site.engine, now=house.clock)
    with site.reading() as session:
        match = store.get_match(session, match_id)
        return encode(store.Table(session, match).state)


def _tell_reading(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("reading it")
    match_id, other, created = house.begin(3), house.begin(3), house.create(3)
    for seat in range(3):
        house.play(match_id, seat)
    change_rows(
        house, told, "UPDATE asks SET opened_n = 9 WHERE match_id = :m AND seat = 0 AND key = 't0.ally0'", m=match_id
    )
    told.skip()
    game = store.game_by_slug("hogen")
    told.do("no such game", lambda: store.game_by_slug("go"))
    for title, one in (("no id", "x"), ("nothing", ""), ("too long", "0" * 33), ("none", "0" * 32)):
        told.do(title, lambda one=one: _match(house, one))  # type: ignore[misc]
    with site.reading() as session:
        match = store.get_match(session, match_id)
        told.do("questions", lambda: [(one.key, one.seat) for one in store.open_asks(session, match_id)])
        told.do("of a seat", lambda: [one.key for one in store.asks_of_seat(session, match_id, 0)])
        told.do("of another", lambda: [one.key for one in store.asks_of_seat(session, match_id, 9)])
        keys = ("t0.ally0", "t0.ally1", "t0 ally", "é", "", "x" * 65, "x" * 64)
        told.do("by key", lambda: [store.get_ask(session, match_id, key, 0) is not None for key in keys])
        told.do("its entries", lambda: [one.n for one in store.load_entries(session, match_id, game)])
        told.do("after some", lambda: [one.n for one in store.load_entries(session, match_id, game, 2)])
        seals = proofs.read_seals
        told.do("seals", lambda: [(n, len(sealed), head) for n, sealed, head in seals(session, match_id)])
        told.do("some", lambda: [n for n, *_ in seals(session, match_id, 1, 3)])
        seen = store.load_entries(session, match_id, game)
        last = match.version
        for after, up_to in ((0, None), (1, None), (1, 2), (last - 1, None), (last, None), (last + 1, None), (last, 1)):
            stretch = proofs.read_stretch(session, match, seen, after, up_to)
            what = (stretch.base, stretch.head, [one.n for one in stretch.entries], stretch.mark_of_head)
            told.do(f"after {after} up to {up_to}", lambda what=what: what)  # type: ignore[misc]
        told.do("an unbroken chain", lambda: proofs.first_broken_entry(session, match, seen))
        inviting = store.get_match(session, created)
        told.do("before the start", lambda: proofs.read_stretch(session, inviting, [], 0))
        told.do("which breaks nowhere", lambda: proofs.first_broken_entry(session, inviting, []))
    told.skip()
    for column, value in (("head", "f" * 64), ("sealed", '{"event.hands.0":"00"}')):
        change_rows(house, told, f"UPDATE entries SET {column} = :v WHERE match_id = :m AND n = 1", v=value, m=other)
        with site.reading() as session:
            broken = proofs.first_broken_entry(
                session, store.get_match(session, other), store.load_entries(session, other, game)
            )
            told.do(f"another {column}", lambda broken=broken: broken)  # type: ignore[misc]
    change_rows(house, told, "UPDATE matches SET head = :v WHERE id = :m", v="e" * 64, m=match_id)
    with site.reading() as session:
        broken = proofs.first_broken_entry(
            session, store.get_match(session, match_id), store.load_entries(session, match_id, game)
        )
        told.do("another end", lambda: broken)
    _tell_locking(house, told, other)


def _match(house: House, match_id: str) -> str:
    with house.site.reading() as session:
        return store.get_match(session, match_id).id


def _tell_locking(house: House, told: Chronicle, match_id: str) -> None:
    told.part("locks, leases, mails and votes")
    site, now = house.site, house.clock()
    t = table(AskRow)
    mine = t.c.match_id == match_id
    told.do("two are free", lambda: leases.read_unclaimed_asks(site, mine, order=t.c.seat, most=2))
    told.do("backwards", lambda: leases.read_unclaimed_asks(site, mine, order=t.c.seat.desc(), most=9))
    told.do("claimed", lambda: leases.claim_asks(site, mine, order=t.c.seat, most=2))
    told.do("the rest", lambda: leases.claim_asks(site, mine, order=t.c.seat))
    told.do("no more", lambda: leases.claim_asks(site, mine, order=t.c.seat))
    house.clock.forward(seconds=60)
    told.do("at the end of the lease", lambda: leases.read_unclaimed_asks(site, mine, order=t.c.seat, most=9))
    house.clock.forward(seconds=1)
    told.do("after it", lambda: leases.read_unclaimed_asks(site, mine, order=t.c.seat, most=9))
    for seat, seconds in enumerate((119, 120, 121)):
        until = house.clock() + timedelta(seconds=seconds)
        with site.writing() as work:
            for ask in store.open_asks(work, match_id):
                ask.claimed_until = until if ask.seat == seat else ask.claimed_until
                work.add(ask)
    told.skip()
    told.do("none is", lambda: leases.read_unclaimed_asks(site, mine, order=t.c.seat, most=9))
    told.do(
        "but for bots that think", lambda: leases.read_unclaimed_asks(site, mine, order=t.c.seat, most=9, reserved=True)
    )
    told.do("which claim it", lambda: leases.claim_asks(site, mine, order=t.c.seat, reserved=True))
    alice, bob = id_of(house, "Alice"), id_of(house, "Bob")
    with site.writing() as work:
        columns = "language, zone, pictures, weekly, created_at, epoch"
        chosen = f"SELECT {columns}, created_at FROM players WHERE id = 1"
        work.connection().exec_driver_sql(f"INSERT INTO players ({columns}, visited_at) {chosen}")
        guest = max(int(one or 0) for one in work.execute(select(table(Player).c.id)).scalars())
        told.do("nobody", lambda: locks.lock_player(work, None))
        told.do("no such player", lambda: locks.lock_player(work, 99))
        told.do("a guest", lambda: locks.lock_player(work, guest))
        told.do("a guest, who may", lambda: locks.lock_player(work, guest, or_guest=True).id)
        told.do("those who are there", lambda: locks.hold_players(work, [bob, None, alice, 99, bob]))
        told.do("by one statement", lambda: locks.hold_players_by_one_statement(work, [bob, None, alice, 99, bob]))
        told.do("none", lambda: (locks.hold_players(work, [None]), locks.hold_players_by_one_statement(work, [])))
        told.do("no rows", lambda: locks.lock_players_for_erasure(work, []))
        told.do("rows", lambda: locks.lock_players_for_erasure(work, [bob, 99, alice]))
        told.do("rated", lambda: locks.lock_players_and_read_if_rated(work, [bob, 99, alice]))
        told.do("none rated", lambda: locks.lock_players_and_read_if_rated(work, []))
        told.do("by address", lambda: (locks.hold_player_with_address(work, "bob@example.org") or work).id)  # type: ignore[union-attr]
        told.do("nobody's address", lambda: locks.hold_player_with_address(work, "fanny@example.org"))
        told.do("several", lambda: [*locks.lock_matches(work, ["ff"])])
        told.do("a table", lambda: _table(lock_with_ask(work, match_id, "t0.ally1", 1)))
        told.do("another's question", lambda: _table(lock_with_ask(work, match_id, "t0.ally1", 0)))
        told.do("no key", lambda: _table(lock_with_ask(work, match_id, "t0 ally1", 1)))
        told.do("no match", lambda: _table(lock_with_ask(work, "ff", "t0.ally1", 1)))
        told.do("all questions", lambda: [one.seat for one in lock_table(work, match_id).asks])
        told.do("busy", lambda: _raise(locks.busy_error()))
        outbox.enqueue(work, "one", "over", now, match_id=match_id, seat=0, due=now + timedelta(seconds=1))
        outbox.enqueue(work, "one", "over", now, match_id=match_id, seat=1)
        outbox.enqueue(work, "guest", "links", now, player_id=guest)
        outbox.enqueue(work, "alone", "circle", now, player_id=alice, key="1")
        outbox.enqueue_many(work, [], now)
        outbox.enqueue_many(work, [{"dedupe": "two", "kind": "circle", "player_id": bob, "key": "2"}], now)
        outbox.imitate_enqueue(work, now)
    told.do("mails are queued", lambda: None)
    change_rows(house, told, "UPDATE outbox SET result = 'sent', done_at = created_at WHERE dedupe = 'one'")
    change_rows(house, told, "UPDATE outbox SET claimed_until = created_at WHERE dedupe = 'two'")
    stale = "result = 'stale', done_at = created_at, claimed_until = created_at"
    change_rows(house, told, f"UPDATE outbox SET {stale} WHERE dedupe = 'alone'")
    names = ("one", "two", "alone", "guest", "three")
    with site.reading() as session:
        told.do("queued", lambda: [bool(outbox.keys_in_outbox(session, [name])) for name in names])
        told.do("at once", lambda: outbox.keys_in_outbox(session, names))
        told.do(
            "many", lambda: outbox.keys_in_outbox(session, [*map(str, range(500)), "one", *map(str, range(500)), "two"])
        )
        told.do("left", lambda: [outbox.is_mail_sent_or_leaving(session, name) for name in names])
        seats, asks = store.seats_of(session, match_id), store.open_asks(session, match_id)
        voters = consent.voters_on_late_seat
        told.do("who may vote", lambda: voters(seats, asks, 1))
        asks[2].acts_at = now
        moment = timedelta(seconds=1)
        told.do(
            "not those whose time is up", lambda: [voters(seats, asks, 1, now + at) for at in (-moment, 0 * moment)]
        )
        asks[0].vote_since = asks[2].vote_since = now
        told.do("a vote", lambda: consent.current_vote_on_late_ask(session, asks[0], seats, asks))
        seats[1].misses = 1
        told.do(
            "without who was late before", lambda: consent.current_vote_on_late_ask(session, asks[0], seats, asks[:2])
        )
        told.do("most of them", lambda: [consent.votes_needed_for_majority(number) for number in range(6)])
        session.rollback()


def _table(locked: Any) -> Any:
    match, ask = locked
    return match.id, ask.key if ask is not None else None


def _raise(error: Exception) -> None:
    raise error
