"""Personal access tokens, idempotency keys, and the links of seats."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from pbem.errors import Problem
from pbem.models.accounts import Idempotent, PersonalToken
from pbem.models.tables import Match, Player, SeatRow, SubstituteRow
from pbem.services.access import access_tokens, idempotency, seat_links
from pbem.services.access.access_tokens import Found
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.site import Work
from pbem.services.tokens import ERA, SEAT_CLAIMS, InvitationClaim, MuteClaim, PlayClaim, SeatClaim
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, store_rows
from tests.table import House

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin()
    with house.site.writing() as work:
        work.add(Player(created_at=house.clock(), visited_at=house.clock()))
        for number in (2, 3):
            work.get_one(Player, number).verified_at = None
    told.skip()
    told.part("tokens")
    _tell_making(house, told)
    _tell_using(house, told, match_id)
    _tell_ending(house, told)
    told.part("idempotency keys")
    _tell_keys(house, told)
    told.part("links of seats")
    _tell_seats(house, told, match_id)
    _tell_claims(house, told, match_id)
    _tell_refusals(house, told, match_id)


def _tell_making(house: House, told: Chronicle) -> None:
    site = house.site
    note_results_of_cases(
        told, "names", access_tokens.check_label, ("  my   script ", "", " \n", "x" * 60, "x" * 61, "a\x07b")
    )
    note_results_of_cases(told, "scopes", access_tokens.valid_scopes_in_order,
         (["create", "read", "read"], ["play"], [], ["read", "admin"]))  # fmt: skip
    note_results_of_cases(told, "days", access_tokens.check_lifetime, (None, 0, 1, 366, 367))
    once = IdempotencyKey("player:1", "key", "digest")
    told.do("Alice makes one", lambda: access_tokens.create_token(site, 1, " my  script", ["play", "read"], 7, once))
    told.do("once more", lambda: access_tokens.create_token(site, 1, "my script", ["play", "read"], 7, once))
    told.lines += [f"  replayed: {once.replayed}"]
    other = IdempotencyKey("player:1", "key", "another")
    told.do("another with this key", lambda: access_tokens.create_token(site, 1, "other", ["play"], 7, other))
    house.clock.forward(seconds=1)
    told.do("one of this name", lambda: access_tokens.create_token(site, 1, "my script", ["read"], None))
    told.do("one for ever", lambda: access_tokens.create_token(site, 1, "for ever", ["create"], None))
    told.do("Bob makes one of the same name", lambda: access_tokens.create_token(site, 2, "my script", ["read"], 1))
    told.do("nobody makes one", lambda: access_tokens.create_token(site, 99, "x", ["read"], 1))
    told.do("a guest makes one", lambda: access_tokens.create_token(site, 4, "x", ["read"], 1))
    told.do("no name", lambda: access_tokens.create_token(site, 1, "", ["read"], 1))
    told.do("no scope", lambda: access_tokens.create_token(site, 1, "x", [], 1))
    told.do("no days", lambda: access_tokens.create_token(site, 1, "x", ["read"], 0))
    told.do("Alice's", lambda: access_tokens.list_active_tokens(site, 1))
    told.do("Bob's", lambda: access_tokens.list_active_tokens(site, 2))
    told.do("one of Alice's", lambda: access_tokens.read_active_token(site, 1, 2))
    told.do("Alice's of Bob's", lambda: access_tokens.read_active_token(site, 1, 3))


def _tell_using(house: House, told: Chronicle, match_id: str) -> None:
    site, now = house.site, house.clock()
    token = access_tokens.PREFIX + "A" * 43
    with site.writing() as work:
        for number, more in (
            (10, {}),
            (11, {"revoked_at": now}),
            (12, {"expires_at": now}),
            (13, {"expires_at": now + SECOND}),
            (14, {"revoked_at": now, "expires_at": now}),
        ):
            digest = access_tokens.token_digest(token[:-2] + str(number))
            row: dict[str, Any] = {"name": f"n{number}", "hint": "AAAA", "scopes": "read play", "created_at": now}
            row |= more
            work.add(PersonalToken(id=number, player_id=2 if number == 13 else 1, digest=digest, **row))
    told.skip()
    for number in (10, 11, 12, 13, 14, 15):
        told.do(f"token {number}", lambda n=number: access_tokens.authenticate(site, token[:-2] + str(n), match_id))  # type: ignore[misc]
    ended = [
        outcome_extra(lambda n=number: access_tokens.authenticate(site, token[:-2] + str(n), None))  # type: ignore[misc]
        for number in (11, 12)
    ]
    told.lines += ["", f"  {ended}"]
    told.do("at no match", lambda: access_tokens.authenticate(site, token[:-2] + "10", None))
    told.do("at a match that is not there", lambda: access_tokens.authenticate(site, token[:-2] + "10", "0" * 24))
    note_results_of_cases(told, "what is no token", lambda one: access_tokens.authenticate(site, one, None),
         (token, token[:-1], token + "A", "A" * 52, token[:-1] + "=", token[:-1] + "\n", ""))  # fmt: skip

    def found(used_at: datetime | None) -> Found:
        return Found(1, 10, frozenset(), None, used_at, "fr", None, None)

    told.do("first use", lambda: access_tokens.record_use(site, found(None)))
    house.clock.forward(seconds=599)
    told.do("within ten minutes, by what was read", lambda: access_tokens.record_use(site, found(now)))
    told.do("within ten minutes, by what is stored", lambda: access_tokens.record_use(site, found(None)))
    house.clock.forward(seconds=1)
    told.do("after ten minutes", lambda: access_tokens.record_use(site, found(now)))


def outcome_extra(function: Callable[[], Any]) -> Any:
    """Returns what a refusal tells a program besides its sentence."""
    try:
        function()
    except Problem as refused:
        return dict(refused.extra)
    return None


def _tell_ending(house: House, told: Chronicle) -> None:
    site = house.site
    once = IdempotencyKey("player:1", "key", "digest")
    told.do("Alice revokes one", lambda: access_tokens.revoke_token(site, 1, 1))
    told.do("once more", lambda: access_tokens.revoke_token(site, 1, 1))
    told.do("Bob's", lambda: access_tokens.revoke_token(site, 1, 3))
    told.do("what was made has ended", lambda: access_tokens.create_token(site, 1, "my script", ["read"], 7, once))
    with site.writing() as work:
        rows = [PersonalToken(player_id=1, name=f"x{n}", digest=f"{n}", hint="", scopes="", created_at=house.clock())
                for n in range(17)]  # fmt: skip
        work.add_all(rows)
    told.skip()
    told.do("the twentieth", lambda: access_tokens.create_token(site, 1, "twentieth", ["read"], 7))
    told.do("one more", lambda: access_tokens.create_token(site, 1, "one more", ["read"], 7))

    def revoke_all() -> int:
        with site.writing() as work:
            return access_tokens.revoke_all_tokens(work, 2, house.clock())

    told.do("all of Bob's are revoked", revoke_all)
    told.do("there is none", revoke_all)

    def forget(most: int = 1000) -> int:
        with site.writing() as work:
            return access_tokens.forget_old(work, house.clock(), most)

    house.clock.at += 90 * DAY - timedelta(seconds=600)
    told.do("ninety days after the first ended", forget)
    house.clock.at += SECOND
    told.do("one of them a second later", lambda: forget(1))
    told.do("the others", forget)
    house.clock.at += DAY
    told.do("a day later", forget)


def _tell_keys(house: House, told: Chronicle) -> None:
    site, now = house.site, house.clock()

    def claim(once: IdempotencyKey | None, answer: str | None = "1", **kept: timedelta) -> Any:
        with site.writing() as work:
            known = idempotency.claim_key(work, once, house.clock(), **kept)
            if known is None and answer is not None:
                idempotency.store_answer(work, once, answer)
            return known, once and once.replayed

    def key(name: str = "k", digest: str = "d", owner: str = "player:1") -> IdempotencyKey:
        return IdempotencyKey(owner, name, digest)

    told.do("without a key", lambda: claim(None))
    told.do("a key", lambda: claim(key()))
    told.do("again", lambda: claim(key()))
    told.do("another request", lambda: claim(key(digest="e")))
    told.do("another's", lambda: claim(key(owner="player:2"), "2"))
    note_results_of_cases(told, "was done", lambda one: idempotency.was_request_done(site, one),
         (key(), key(digest="e"), key("l"), key(owner="player:3")))  # fmt: skip
    house.clock.at = now + DAY - SECOND
    told.do("within a day", lambda: claim(key(), "3"))
    note_results_of_cases(told, "was done within a day", lambda one: idempotency.was_request_done(site, one), (key(),))
    house.clock.at = now + DAY
    note_results_of_cases(told, "was done after a day", lambda one: idempotency.was_request_done(site, one), (key(),))

    def forget_old(most: int) -> int:
        with site.writing() as work:
            return idempotency.forget_old(work, house.clock(), most)

    told.do("after a day", lambda: claim(key(), "3"))
    told.do("an hour is enough", lambda: claim(key(), "4", kept=timedelta(hours=1)))
    told.do("old ones go, one", lambda: forget_old(1))
    told.do("and the rest", lambda: forget_old(10))
    house.clock.at += timedelta(hours=1)
    told.do("kept for an hour", lambda: claim(key(), "4", kept=timedelta(hours=1)))
    owners = (
        "player:1",
        "player:12",
        "seat:m.1.0",
        "seat:m.1.7",
        "seat:m.11.0",
        "seat:m.2.0",
        "seat:M.2.0",
        "seat:_.1.0",
    )
    store_rows(house, *(Idempotent(owner=owner, key="x", digest="d", at=now) for owner in owners))
    told.skip()

    def forget(player: int, *seats: tuple[str, int]) -> None:
        with site.writing() as work:
            idempotency.delete_keys(work, player, seats)

    told.do("Alice's go, with those of two links", lambda: forget(1, ("m", 1), ("_", 1)))
    told.do("nobody's", lambda: forget(1))


def _tell_seats(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site
    cases: list[tuple[SeatClaim, Any]] = [
        (PlayClaim(match_id, 1, 0), "play"),
        (MuteClaim(match_id, 1, 0), "play"),
        (PlayClaim(match_id, 1, 1), "play"),
        (PlayClaim(match_id, 3, 0), "play"),
        (PlayClaim("0" * 24, 1, 0), "play"),
    ]

    def found(one: tuple[SeatClaim, Any], refresh: bool = False) -> Any:
        with site.reading() as session:
            seat = seat_links.seat_of_link(session, one[0], one[1], refresh=refresh)
            return seat.seat, seat.name, seat.status, seat.epoch

    note_results_of_cases(told, "seats", lambda at: found(cases[at]), range(5))
    note_results_of_cases(told, "seats, read again", lambda at: found(cases[at], True), range(5))
    note_results_of_cases(
        told, "languages", lambda at: seat_links.language_of_link_holder(site, cases[at][0]), range(5)
    )

    def lock(claim: SeatClaim) -> Any:
        with site.writing() as work:
            match, seat = seat_links.lock_seat(work, claim)
            return match.id, seat.seat

    def hold(claim: SeatClaim) -> Any:
        with site.writing() as work:
            match, seat = seat_links.lock_seat_and_hold_player(work, claim, "play")
            return match.id, seat.seat

    note_results_of_cases(told, "locked", lambda at: lock(cases[at][0]), range(5))
    note_results_of_cases(told, "held", lambda at: hold(cases[at][0]), range(5))
    for values in ({"status": "invited"}, {"player_id": None, "status": "accepted"}):
        _set(house, match_id, **values)
        note_results_of_cases(told, f"locked: {values}", lambda at: lock(cases[at][0]), (0,))
        note_results_of_cases(
            told, f"its language: {values}", lambda at: seat_links.language_of_link_holder(site, cases[at][0]), (0,)
        )


def _set(house: House, match_id: str, **values: Any) -> None:
    with house.site.writing() as work:
        seat = work.get_one(SeatRow, (match_id, 1))
        for name, value in values.items():
            setattr(seat, name, value)
        work.add(seat)


def _tell_claims(house: House, told: Chronicle, match_id: str) -> None:
    """An open seat: Bob claims it twice, Carol once, then another era begins."""
    site = house.site
    told.skip()

    def do(title: str, act: Callable[[Work, SeatRow], Any]) -> None:
        def finish() -> Any:
            with site.writing() as work:
                result = act(work, work.get_one(SeatRow, (match_id, 1)))
                return sorted(result, key=repr) if isinstance(result, set) else result

        told.do(title, finish)

    for epoch, player, name in ((ERA + 1, 2, "Bob"), (ERA + 2, 3, "Carol"), (ERA + 3, 2, "Robert")):
        _set(house, match_id, player_id=player, name=name, status="invited", epoch=epoch)
        told.skip()
        do(f"{name} claims it", lambda work, seat: seat_links.store_latest_claim(work, seat, house.clock()))
    _set(house, match_id, name="Rob")
    do("Robert becomes Rob", lambda work, seat: seat_links.store_latest_claim(work, seat, house.clock()))
    for number in (2, 3, 1):
        do(
            f"the name that {number} claimed it for",
            lambda work, seat, n=number: seat_links.name_of_players_latest_claim(work, seat, n),  # type: ignore[misc]
        )
    purposes: tuple[Any, ...] = ("invitation", "mute", "play")

    def earlier(epoch: int, purpose: Any = "invitation") -> Any:
        with site.reading() as session:
            seat = seat_links.seat_of_link(session, SEAT_CLAIMS[purpose](match_id, 1, epoch), purpose)
            return seat.player_id, seat.name, seat.status, seat.epoch, seat.muted, seat.word

    epochs = (0, ERA, *range(ERA + 1, ERA + 5), 2 * ERA + 1)
    _set(house, match_id, word="secret")
    for purpose in purposes:
        note_results_of_cases(told, f"links to {purpose}", lambda epoch, what=purpose: earlier(epoch, what), epochs)  # type: ignore[misc]
    do("Carol declines", lambda work, seat: seat_links.end_claims_except_of_winner(work, seat, 2))
    note_results_of_cases(told, "void: links to the invitation", earlier, epochs)
    _set(house, match_id, status="accepted", player_id=2, epoch=ERA + 4)
    note_results_of_cases(told, "taken: links to the invitation", earlier, epochs)
    with site.writing() as work:
        claim = work.get_one(SubstituteRow, 2)
        claim.void = False
        work.add(claim)
    for player, epoch in ((3, ERA + 4), (3, ERA + 5), (2, ERA + 4)):
        _set(house, match_id, player_id=player, epoch=epoch)
        note_results_of_cases(told, f"taken by {player} at {epoch - ERA}: links to the invitation", earlier, epochs)
    _set(house, match_id, status="declined", player_id=2, epoch=ERA + 3)
    told.skip()
    do("Bob's claims are renewed", lambda work, seat: seat_links.merge_claims_of_player(work, seat, 2, house.clock()))
    do("Alice has none", lambda work, seat: seat_links.merge_claims_of_player(work, seat, 1, house.clock()))
    _set(house, match_id, status="open")
    told.skip()
    do(
        "Carol's, of a seat that is open",
        lambda work, seat: seat_links.merge_claims_of_player(work, seat, 3, house.clock()),
    )
    _set(house, match_id, player_id=2)
    told.skip()
    do("all but Alice's claims end", lambda work, seat: seat_links.end_claims_except_of_winner(work, seat, 1))
    do("nobody has one", lambda work, seat: seat_links.end_claims_except_of_winner(work, seat, 1))
    with site.writing() as work:
        for row in (
            SubstituteRow(match_id=match_id, seat=1, away_n=-ERA - 9, player_id=2, name="B", at=house.clock()),
            SubstituteRow(match_id=match_id, seat=1, away_n=-ERA - 10, player_id=3, name="C", at=house.clock()),
            SubstituteRow(match_id=match_id, seat=1, away_n=9, player_id=2, name="B", at=house.clock()),
        ):
            work.add(row)
    told.skip()
    do("Bob leaves", seat_links.end_claims_of_leaving_player)


def _tell_refusals(house: House, told: Chronicle, match_id: str) -> None:
    site, now = house.site, house.clock()

    def refusal_of(epoch: int, purpose: Any = "invitation") -> None:
        with site.reading() as session:
            raise seat_links.error_for_ended_link(session, SEAT_CLAIMS[purpose](match_id, 1, epoch))

    epochs = (0, 1, ERA + 4, ERA + 9, ERA + 12)
    _set(house, match_id, epoch=ERA + 11, status="invited", name="Bob", player_id=2)
    for status in ("open", "accepted"):
        _set(house, match_id, status=status)
        note_results_of_cases(told, f"invitations to a seat that is {status}", refusal_of, epochs)
    _set(house, match_id, player_id=3)
    note_results_of_cases(told, "one was written to another", refusal_of, epochs)
    _set(house, match_id, epoch=2 * ERA, status="open")
    note_results_of_cases(told, "another era", refusal_of, epochs)
    note_results_of_cases(told, "play links", lambda epoch: refusal_of(epoch, "play"), epochs)
    taken = SubstituteRow(match_id=match_id, seat=1, away_n=5, player_id=3, name="Carol", at=now, epoch=2)
    store_rows(house, taken)
    note_results_of_cases(
        told, "play links after Carol has taken it over", lambda epoch: refusal_of(epoch, "play"), (1, 2)
    )
    with site.writing() as work:
        work.get_one(Match, match_id).status = "cancelled"
    note_results_of_cases(told, "a match that was called off", refusal_of, (2, ERA + 4))
    note_results_of_cases(told, "a seat that is not there", lambda _: _elsewhere(house), (1,))


def _elsewhere(house: House) -> None:
    with house.site.reading() as session:
        raise seat_links.error_for_ended_link(session, InvitationClaim("0" * 24, 1, 0))
