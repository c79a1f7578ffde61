"""Refused mails: which are given up, and what they say about an address."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete

from pbem.mail.send import PermanentFailure, Refused, TemporaryFailure
from pbem.models.tables import AskRow, OutboxRow, Player, SeatRow, table
from pbem.services.players import bounces
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, store_rows
from tests.table import House

UNKNOWN = PermanentFailure(550, "5.1.1 no such user", "recipient")
SPAM = PermanentFailure(554, "5.7.1 looks like spam", "data")
FORBIDDEN = PermanentFailure(554, "5.7.1 relay access denied", "recipient")
FULL = TemporaryFailure(452, "4.2.2 mailbox full", "recipient")
BUSY = TemporaryFailure(451, "4.3.2 not accepting mail", "data")
REFUSALS: dict[str, Refused | None] = {
    "unknown": UNKNOWN, "spam": SPAM, "forbidden": FORBIDDEN, "full": FULL, "busy": BUSY, "not handed over": None,
}  # fmt: skip
LIVES = {"turn": 3600, "fast": 3600, "slow": 7200, "digest": 20 * 3600, "links": 5 * 86_400}


def tell(house: House, told: Chronicle) -> None:
    note_results_of_cases(told, "waits", bounces.seconds_until_retry, (1, 2, 7, 8, 12, 40))
    note_results_of_cases(told, "reports", bounces.reason_of_report, ("5.1.1", None, "5." + "1" * 30))
    match_id = house.begin()
    with house.site.writing() as work:
        work.execute(delete(table(OutboxRow)))
    told.skip()
    _tell_verdicts(house, told, match_id)
    _tell_settling(house, told, match_id)
    _tell_clearing(house, told, match_id)
    _tell_withheld(house, told, match_id)


def _mail(house: House, kind: str, dedupe: str, **more: Any) -> OutboxRow:
    now = house.clock()
    row: dict[str, Any] = {"created_at": now, "due_at": now, "attempts": 0} | more
    return OutboxRow(dedupe=dedupe, kind=kind, **row)


def _tries(seconds: float) -> int:
    """How often a mail has been tried when its waits first come to this many seconds."""
    attempts, waited = 0, 0.0
    while waited < seconds:
        attempts += 1
        waited += bounces.seconds_until_retry(attempts)
    return attempts


def _tell_verdicts(house: House, told: Chronicle, match_id: str) -> None:
    site, now = house.site, house.clock()
    with site.writing() as work:
        asks = [AskRow(match_id=match_id, key=key, seat=0, turn="t", kind="move", origin=origin, opened_at=now,
                opened_n=1, allowed_s=allowed, closed_at=now) for key, origin, allowed in
                (("a", "fast", 60), ("b", "slow", 7200), ("c", "slow", 7000))]  # fmt: skip
        work.add_all(asks)
    rows: dict[str, OutboxRow] = {
        "turn": _mail(house, "turn", "1", match_id=match_id, seat=0, key="none"),
        "fast": _mail(house, "turn", "2", match_id=match_id, seat=0, key="fast"),
        "slow": _mail(house, "turn", "3", match_id=match_id, seat=0, key="slow"),
        "digest": _mail(house, "digest", "4", player_id=1),
        "links": _mail(house, "links", "5", player_id=1),
    }
    store_rows(house, *rows.values())
    numbers = {name: row.id or 0 for name, row in rows.items()}
    told.skip()

    def judge(others_left_s: float | None) -> None:
        for name, life in LIVES.items():
            for attempts in (_tries(life) - 1, _tries(life), _tries(5 * 86_400)):
                with site.writing() as work:
                    row = work.get_one(OutboxRow, numbers[name])
                    row.attempts = attempts
                    tried = bounces.seconds_tried(row)
                    other = work.get(OutboxRow, 6) or _mail(house, "links", "6", player_id=2)
                    other.done_at, other.result = house.clock(), "sent"
                    if others_left_s is None:
                        other.result = "stale"
                    else:
                        other.done_at -= timedelta(seconds=tried * 0.75 + others_left_s)
                    work.add_all((row, other))
                title = f"{name} tried {attempts} times, {tried:g} s"
                said = {
                    what: bounces.result_if_given_up(site, numbers[name], refused) for what, refused in REFUSALS.items()
                }
                told.lines.append(f"  {title}: " + ", ".join(f"{what} {one}" for what, one in said.items()))

    for title, left in (("no other mail has left", None), ("one left a second after the first try", -1),
                        ("one left with the first try", 0)):  # fmt: skip
        told.lines += ["", f"## {title}"]
        judge(left)
    with site.writing() as work:
        work.execute(delete(table(OutboxRow)))
    told.skip()
    _tell_later(house, told)


def _tell_later(house: House, told: Chronicle) -> None:
    now, second = house.clock(), timedelta(seconds=1)
    store_rows(
        house,
        _mail(house, "links", "1", due_at=now),
        _mail(house, "links", "2", due_at=now, result="sent", done_at=now),
        _mail(house, "links", "3", due_at=now - second),
        _mail(house, "links", "4", due_at=now - second, result="stale", done_at=now),
        _mail(house, "links", "5", due_at=now + 2 * second),
        _mail(house, "links", "6", due_at=now + second, result="sent", done_at=now),
    )
    note_results_of_cases(
        told, "a later mail has left", lambda number: bounces.was_any_later_mail_sent(house.site, number), range(1, 7)
    )
    with house.site.writing() as work:
        work.execute(delete(table(OutboxRow)))
    told.skip()


def _tell_bounce(house: House, told: Chronicle, number: int, since: datetime | None, why: str | None) -> None:
    with house.site.writing() as work:
        player = work.get_one(Player, number)
        player.bounced_at, player.bounced_why = since, why
        work.add(player)
    told.skip()


def _tell_settling(house: House, told: Chronicle, match_id: str) -> None:
    site = house.site
    store_rows(
        house,
        _mail(house, "turn", "1", match_id=match_id, seat=0, attempts=1),
        _mail(house, "links", "2", player_id=1, attempts=_tries(20 * 3600) - 1),
        _mail(house, "links", "3", player_id=1, attempts=_tries(20 * 3600)),
        _mail(house, "links", "4", player_id=1, attempts=_tries(5 * 86_400)),
        _mail(house, "readdress", "5", player_id=1),
    )
    told.skip()

    def settle(number: int, result: str, to: str | None = "alice@example.org") -> None:
        with site.writing() as work:
            row = work.get_one(OutboxRow, number)
            bounces.record_result_of_mail(work, row, result, house.clock(), player_id=1, to=to, answer="550 5.1.1")

    told.do("refused", lambda: settle(1, "refused"))
    house.clock.forward(seconds=1)
    told.do("refused again: since when stays", lambda: settle(1, "refused"))
    told.do("a turn is accepted, which proves nothing", lambda: settle(1, "sent"))
    told.do("a mail with links is accepted at another address", lambda: settle(2, "sent", "al@example.org"))
    told.do("a mail with links is accepted", lambda: settle(2, "sent"))
    told.do("refused at a former address", lambda: settle(1, "refused", "al@example.org"))
    told.do("refused, nobody knows where", lambda: settle(1, "refused", None))
    told.do("a mail about a change of address is refused", lambda: settle(5, "refused"))
    told.do("rejected", lambda: settle(1, "rejected"))
    told.do("expired within twenty hours", lambda: settle(2, "expired"))
    told.do("expired later, but no other mail left", lambda: settle(3, "expired"))
    told.do("expired after days", lambda: settle(4, "expired"))
    _tell_bounce(house, told, 1, None, None)
    store_rows(house, _mail(house, "links", "6", player_id=2, done_at=house.clock(), result="sent"))
    told.skip()
    told.do("expired within twenty hours, while another left", lambda: settle(2, "expired"))
    told.do("expired later, while another left", lambda: settle(3, "expired"))
    for why in ("host", "later 5.1.1", "later", "hostile", "550"):
        _tell_bounce(house, told, 1, house.clock(), why)
        told.do(f"bounced with “{why}”: a mail with links is accepted", lambda: settle(2, "sent"))
    for why in ("host", "later 5.1.1", "550"):
        _tell_bounce(house, told, 1, house.clock(), why)

        def use() -> None:
            with site.writing() as work:
                bounces.clear_bounce_noted_after_sending(work, 1, house.clock())

        told.do(f"bounced with “{why}”: a link is used", use)
    _tell_bounce(house, told, 1, None, None)

    def nobody() -> bool:
        with site.writing() as work:
            bounces.clear_bounce_noted_after_sending(work, None, house.clock())
            return bounces.mark_bouncing(work, None, "550", house.clock()) or bounces.clear_bounce_and_requeue_mails(
                work, 99, house.clock()
            )

    told.do("nobody's", nobody)


def _tell_clearing(house: House, told: Chronicle, match_id: str) -> None:
    site, then = house.site, house.clock() - timedelta(hours=1)
    closed = {"done_at": then, "due_at": then, "attempts": 4, "claimed_until": then}
    kinds = (
        ("turn", 0, "bounced"), ("turn", 0, "refused"), ("invitation", 0, "expired"), ("turn", 0, "sent"),
        ("turn", 0, "rejected"), ("turn", 1, "bounced"), ("over", 0, "bounced"),
    )  # fmt: skip
    with site.writing() as work:
        work.execute(delete(table(OutboxRow)))
    store_rows(
        house,
        *(
            _mail(house, kind, f"{at}", match_id=match_id, seat=seat, player_id=1, result=result, **closed)
            for at, (kind, seat, result) in enumerate(kinds)
        ),
        _mail(house, "turn", "bob", match_id=match_id, seat=1, player_id=2, result="bounced", **closed),
    )
    told.skip()

    def clear(number: int | None) -> bool:
        with site.writing() as work:
            return bounces.clear_bounce_and_requeue_mails(work, number, house.clock())

    told.do("there is no bounce", lambda: clear(1))
    _tell_bounce(house, told, 1, then, "550")
    told.do("the mails that it stopped leave", lambda: clear(1))
    _tell_bounce(house, told, 1, then, "550")
    told.do("there is none any more", lambda: clear(1))


def _tell_withheld(house: House, told: Chronicle, match_id: str) -> None:
    site, now, day = house.site, house.clock(), timedelta(days=1)
    with site.writing() as work:
        work.execute(delete(table(OutboxRow)))
    told.skip()
    links, turn = _mail(house, "links", "l"), _mail(house, "turn", "t")

    def say(title: str) -> None:
        with site.reading() as session:
            alice = session.get_one(Player, 1)
            told.lines += ["", f"## {title}"]
            told.lines.append(f"  links {bounces.is_mail_withheld(site, session, links, alice)}"
                              f", turn {bounces.is_mail_withheld(site, session, turn, alice)}")  # fmt: skip
            note_results_of_cases(
                told, "asked for", lambda _: bounces.check_mail_not_withheld(site, session, alice), ("now",)
            )

    say("no bounce")
    _tell_bounce(house, told, 1, now, "550")
    second = timedelta(seconds=1)
    store_rows(
        house,
        _mail(house, "links", "1", player_id=1, result="sent", done_at=now - day + second),
        _mail(house, "confirm", "2", player_id=1, result="refused", done_at=now),
        _mail(house, "links", "3", player_id=1, result="expired", done_at=now - day),
        _mail(house, "links", "4", player_id=1, result="stale", done_at=now),
        _mail(house, "turn", "5", player_id=1, result="sent", done_at=now),
        _mail(house, "links", "6", player_id=2, result="sent", done_at=now),
    )
    say("two of the day")
    store_rows(house, _mail(house, "links", "7", player_id=1, result="expired", done_at=now))
    say("three of the day")
    told.lines += ["", f"  {', '.join(sorted(bounces.kinds_that_prove_address()))}"]
    people: list[tuple[SeatRow, Player | None]] = []
    for at, (status, bot, bounced) in enumerate((
        ("accepted", None, True), ("invited", None, True), ("declined", None, True), ("accepted", "random", True),
        ("accepted", None, False), ("accepted", None, None),
    )):  # fmt: skip
        player = Player(created_at=now, bounced_at=now if bounced else None) if bounced is not None else None
        people.append((SeatRow(match_id=match_id, seat=at, name="x", status=status, bot=bot), player))
    states = ("unconfirmed", "inviting", "running", "paused", "over", "cancelled")
    for viewer in (1, 0):

        def seats_shown(status: str, viewer: int = viewer) -> tuple[int, ...]:
            return tuple(s.seat for s, player in people if bounces.is_bounce_shown(s, player, status, viewer))

        title = f"seats that are shown to bounce{'' if viewer else ', to the organiser'}"
        note_results_of_cases(told, title, seats_shown, states)
