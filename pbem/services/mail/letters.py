"""From an outbox row to the letter it stands for, looked up at the moment of sending.

A row whose reason is gone (the question is answered, the seat muted) or whose address must not be written to
(suppressed, bounced) gives no letter but the word that its result will be; so does one that the day's mail stands for.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, cast

from sqlalchemy import select
from sqlmodel import Session, col

from pbem.mail import letters as mail
from pbem.mail import parts
from pbem.models.hooks import Webhook
from pbem.models.tables import OutboxRow, Player, SeatRow, SubstituteRow
from pbem.services.log import store
from pbem.services.mail import address_change_letters, board_letters, digest_letters
from pbem.services.mail.letter_context import Desk, reader_of
from pbem.services.players import bounces, players, quotas
from pbem.services.players.players import suppressed
from pbem.services.site import Site
from pbem.services.views import match_views, seats
from pbem.services.webhooks.safe_http import redacted_url
from pbem.services.work import Reading

MUTABLE = ("started", "turn", "reminder", "over", "cancelled", "declined", "absent", "paused", "vote")
"""Mails of a match that its "mute" button stops."""


def letter_for(site: Site, session: Reading, row: OutboxRow) -> tuple[mail.AnyLetter | None, str]:
    """The letter to send now, or None with the reason: stale, muted, suppressed, bounced or digest."""
    reader = reader_of(session, row)
    if reader is None:
        return None, "stale"
    if row.kind == bounces.READDRESS:
        return address_change_letters.readdress(Desk(site, session, row, reader))
    if suppressed(site, session, reader.player):
        return None, "suppressed"
    if bounces.withheld(site, session, row, reader.player):
        return None, "bounced"
    if row.kind in MUTABLE and reader.seat is not None and reader.seat.muted:
        return None, "muted"
    letter = _BUILDERS[row.kind](Desk(site, session, row, reader))
    if isinstance(letter, str):
        return None, letter
    return letter, "sent"


def quotas_of(site: Site, session: Session, row: OutboxRow, player: Player) -> tuple[quotas.Quota, ...]:
    """The quotas that the mail for this player is counted against before it leaves."""
    if row.kind == bounces.READDRESS:
        return address_change_letters.quotas_of(site, session, row)
    return quotas.of_mail(site, row, player)


def _confirm(desk: Desk) -> mail.AnyLetter | str:
    if desk.match.status != "unconfirmed" or desk.match.lapses_at is None:
        return "stale"
    names = desk.names()
    return mail.Confirm(
        **desk.envelope(), game=store.game_of(desk.match), organiser=names[desk.seat.seat],
        names=names[: desk.seat.seat] + names[desk.seat.seat + 1 :],
        confirm_url=desk.link("confirm", "confirm"), until=desk.match.lapses_at, commitment=desk.match.seed_sha256,
    )  # fmt: skip


def _invitation(desk: Desk) -> mail.AnyLetter | str:
    current = desk.row.key == f"epoch{desk.seat.epoch}"
    if desk.match.status != "inviting" or desk.seat.status != "invited" or not current:
        return "stale"
    assert desk.match.lapses_at is not None, "a match that invites has a last day"
    turn, increment = board_letters.turn_time(desk.match)
    return mail.Invitation(
        **desk.about(), organiser=desk.names()[0], invitation_url=desk.link("invitation", "invitation"),
        until=desk.match.lapses_at, turn=turn, increment=increment,
    )  # fmt: skip


def _declined(desk: Desk) -> mail.AnyLetter | str:
    left, _, epoch = (desk.row.key or "").partition(".epoch")
    gone = desk.session.get(SeatRow, (desk.match.id, int(left)))
    if desk.match.status != "inviting" or gone is None or gone.status != "declined" or gone.epoch != int(epoch):
        return "stale"
    return mail.Declined(**desk.about(), who=gone.name, match_url=desk.link("play", "play"))


def _cancelled(desk: Desk) -> mail.AnyLetter | str:
    reason = match_views.sheet(desk.session, desk.match).cancelled
    if reason is None:
        return "stale"
    return mail.Cancelled(**desk.about(), organiser=desk.names()[0], reason=cast(mail.CancelReason, reason))


def _absent(desk: Desk) -> mail.AnyLetter | str:
    if not desk.seat.absent or desk.match.status not in ("running", "paused"):
        return "stale"
    until = desk.match.lapses_at if desk.match.status == "paused" else None
    return mail.Absent(
        **desk.about(), misses=desk.seat.misses, until=until, play_url=desk.link("play", "play"),
    )  # fmt: skip


def _paused(desk: Desk) -> mail.AnyLetter | str:
    """The match is paused; whose own absence was told only since then has read it in that mail."""
    if not desk.seat.absent or desk.match.status != "paused" or desk.match.lapses_at is None:
        return "stale"
    told = select(col(OutboxRow.id)).where(
        col(OutboxRow.match_id) == desk.match.id,
        col(OutboxRow.seat) == desk.seat.seat,
        col(OutboxRow.kind) == "absent",
        col(OutboxRow.result) == "sent",
        col(OutboxRow.done_at) >= desk.row.created_at,
    )
    if desk.session.execute(told.limit(1)).first() is not None:
        return "stale"
    return mail.Paused(**desk.about(), until=desk.match.lapses_at, play_url=desk.link("play", "play"))


def _vote(desk: Desk) -> mail.AnyLetter | str:
    sheet = match_views.sheet(desk.session, desk.match)
    late = next((ask for ask in sheet.asks if ask.origin == desk.row.key), None)
    if sheet.status != "running" or late is None or late.vote is None:
        return "stale"
    if desk.seat.seat not in set(late.vote.voters) - set(late.vote.cast):
        return "stale"
    return mail.Vote(
        **desk.about(), late=late.seat, cast=len(late.vote.cast), needed=late.vote.needed,
        play_url=desk.link("play", "play"),
    )  # fmt: skip


def _substitute(desk: Desk) -> mail.AnyLetter | str:
    wish = desk.session.get(SubstituteRow, int(desk.row.key or 0))
    left = wish is not None and wish.epoch is None and wish.away_n == desk.seat.away_n
    if wish is None or not left or desk.match.status not in ("running", "paused"):
        return "stale"
    about, seat = desk.about(), desk.seat.seat
    former = about["names"][seat]
    about["names"] = (*about["names"][:seat], wish.name, *about["names"][seat + 1 :])
    turn, increment = board_letters.turn_time(desk.match)
    return mail.Substitute(
        **about, former=former, turn=turn, increment=increment,
        takeover_url=desk.site.url(f"/takeover/{desk.site.tokens.for_wish(int(desk.row.key or 0))}"),
    )  # fmt: skip


def _webhook(desk: Desk) -> mail.AnyLetter | str:
    hook = desk.session.get(Webhook, int(desk.row.key or 0))
    if hook is None or hook.disabled_at is None or hook.player_id != desk.reader.player.id:
        return "stale"
    return mail.WebhookOff(
        **desk.envelope(), place=redacted_url(hook.url), gone=hook.why == "gone", since=hook.failing_since,
        page_url=desk.site.url(f"/me/webhooks/{hook.id}"),
    )  # fmt: skip


def _links(desk: Desk) -> mail.MyLinks:
    player = desk.reader.player
    assert player.id is not None
    life = players.life_of(desk.row)
    token = desk.site.tokens.for_account(player.id, player.epoch, desk.now, life)
    mine = seats.my_matches(desk.site, desk.session, player)
    return mail.MyLinks(
        **desk.envelope(), account_url=desk.site.url(f"/account/{token}"), life=life,
        matches=tuple(_match_link(desk.site, m) for m in mine if m.sheet.status != "cancelled")
        + tuple(_to_answer(desk)),
    )  # fmt: skip


def _readdressed(desk: Desk) -> mail.AnyLetter | str:
    links = _links(desk)
    # The mails that ask to confirm a match come again by themselves at the new address.
    matches = tuple(match for match in links.matches if match.status != "unconfirmed")
    return mail.Readdressed(**{**vars(links), "matches": matches})


def _match_link(site: Site, mine: seats.MyMatch) -> parts.MatchLink:
    sheet = mine.sheet
    others = sheet.names[: mine.seat] + sheet.names[mine.seat + 1 :]
    status = "over" if sheet.over else "your_turn" if sheet.seats[mine.seat].asked else "waiting"
    return parts.MatchLink(sheet.game, others, site.url(f"/play/{mine.play_token}"), cast(Any, status))


def _to_answer(desk: Desk) -> Iterator[parts.MatchLink]:
    """The open invitations, then the matches that the reader has still to confirm."""
    site, session, player = desk.site, desk.session, desk.reader.player
    for found in seats.open_invitations(site, session, player):
        yield _seat_link(found, site.url(f"/invitation/{found.token}"), "invited")
    for found in seats.unconfirmed_matches(site, session, player):
        yield _seat_link(found, site.url(f"/confirm/{found.token}"), "unconfirmed")


def _seat_link(found: seats.OpenInvitation, url: str, status: Literal["invited", "unconfirmed"]) -> parts.MatchLink:
    names = found.sheet.names[: found.seat] + found.sheet.names[found.seat + 1 :]
    return parts.MatchLink(found.sheet.game, names, url, status)


_BUILDERS: Mapping[str, Callable[[Desk], mail.AnyLetter | str]] = {
    "confirm": _confirm,
    "invitation": _invitation,
    "declined": _declined,
    "cancelled": _cancelled,
    "absent": _absent,
    "paused": _paused,
    "vote": _vote,
    "substitute": _substitute,
    "webhook": _webhook,
    "started": board_letters.started,
    "turn": board_letters.turn,
    "reminder": board_letters.reminder,
    "over": board_letters.over,
    "digest": digest_letters.digest,
    "links": _links,
    "renewal": _links,
    "readdressed": _readdressed,
}
