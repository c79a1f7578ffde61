"""From an outbox row to the letter it stands for, looked up at the moment of sending.

A row whose reason is gone (the question is answered, the seat muted, the address suppressed) gives no letter but
the word that its result will be.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import urlencode

from sqlalchemy import func
from sqlmodel import Session, col, select

from pbem.mail import letters as mail
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.rules.choices import kinds_of
from pbem.rules.contract import AnyGame, Lang, Move, Phrase
from pbem.services import seats, store, views
from pbem.services.players import suppressed
from pbem.services.site import Site
from pbem.services.tokens import ACCOUNT_LIFE
from pbem.services.views import View

CAPPED = ("confirm", "invitation", "links", "declined")
"""Mails that somebody else's click can cause; turn mails are never held back."""
STRANGER_DAY = 5
MUTABLE = ("turn", "over", "cancelled", "declined")
"""Mails of a match that its "mute" button stops."""
MOST_LINES = 12


@dataclass(frozen=True)
class Reader:
    """Who a row is for, and on which seat of which match, where it is about one."""

    player: Player
    match: Match | None
    seat: SeatRow | None

    @property
    def lang(self) -> Lang:
        """The player's language."""
        return cast(Lang, self.player.language)


def reader_of(session: Session, row: OutboxRow) -> Reader | None:
    """The row's reader; None when his seat or his data are gone."""
    if row.match_id is None or row.seat is None:
        player = session.get(Player, row.player_id) if row.player_id else None
        return Reader(player, None, None) if player else None
    match = session.get(Match, row.match_id)
    seat = session.get(SeatRow, (row.match_id, row.seat))
    player = session.get(Player, seat.player_id) if seat and seat.player_id else None
    return Reader(player, match, seat) if player and match and seat else None


def letter_for(site: Site, session: Session, row: OutboxRow) -> tuple[mail.AnyLetter | None, str]:
    """The letter to send now, or None with the reason: stale, muted, suppressed, or capped (then later)."""
    reader = reader_of(session, row)
    if reader is None:
        return None, "stale"
    if suppressed(site, session, reader.player):
        return None, "suppressed"
    if row.kind in MUTABLE and reader.seat is not None and reader.seat.muted:
        return None, "muted"
    if row.kind in CAPPED and _capped(site, session, row, reader.player):
        return None, "capped"
    letter = _BUILDERS[row.kind](_Desk(site, session, row, reader))
    if isinstance(letter, str):
        return None, letter
    return letter, "sent"


def _capped(site: Site, session: Session, row: OutboxRow, player: Player) -> bool:
    """Whether the player has had enough mails of this kind today; a stranger, who never answered, sooner."""
    if not site.config.capped:
        return False
    sent = session.exec(
        select(func.count()).where(
            col(OutboxRow.player_id) == player.id,
            col(OutboxRow.result) == "sent",
            col(OutboxRow.done_at) > site.now() - timedelta(days=1),
            col(OutboxRow.kind) == row.kind,
        )
    ).one()
    most = site.config.mails_per_address_day
    return sent >= (most if player.verified_at else min(most, STRANGER_DAY))


@dataclass(frozen=True)
class _Desk:
    """What a letter is written from."""

    site: Site
    session: Session
    row: OutboxRow
    reader: Reader

    @property
    def now(self) -> datetime:
        return self.site.now()

    @property
    def match(self) -> Match:
        assert self.reader.match is not None
        return self.reader.match

    @property
    def seat(self) -> SeatRow:
        assert self.reader.seat is not None
        return self.reader.seat

    def link(self, purpose: Any, path: str) -> str:
        """The URL of this seat's page for a purpose."""
        token = self.site.tokens.for_seat(purpose, self.match.id, self.seat.seat, self.seat.epoch)
        return self.site.url(f"/{path}/{token}")

    def envelope(self) -> dict[str, Any]:
        """The fields that every letter has."""
        player = self.reader.player
        assert player.id is not None
        assert self.row.id is not None
        config = self.site.config
        return {
            "row": self.row.id,
            "to": player.address,
            "lang": self.reader.lang,
            "zone": player.zone,
            "at": self.now,
            "sender": mail.Sender(name="pbem", address=config.mail_from, url=config.url),
            "never_url": self.site.url(f"/never/{self.site.tokens.for_never(player.id)}"),
        }

    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in store.seats_of(self.session, self.match.id))

    def about(self) -> dict[str, Any]:
        """The fields that every letter about a match has."""
        game = store.game_of(self.match)
        return {
            **self.envelope(), "game": game, "match": self.match.id, "seat": self.seat.seat, "names": self.names()
        }  # fmt: skip


def _confirm(desk: _Desk) -> mail.AnyLetter | str:
    if desk.match.status != "unconfirmed" or desk.match.lapses_at is None:
        return "stale"
    names = desk.names()
    return mail.Confirm(
        **desk.envelope(), game=store.game_of(desk.match), organiser=names[desk.seat.seat],
        names=names[: desk.seat.seat] + names[desk.seat.seat + 1 :],
        confirm_url=desk.link("confirm", "confirm"), until=desk.match.lapses_at,
    )  # fmt: skip


def _invitation(desk: _Desk) -> mail.AnyLetter | str:
    current = desk.row.key == f"epoch{desk.seat.epoch}"
    if desk.match.status != "inviting" or desk.seat.status != "invited" or not current:
        return "stale"
    assert desk.match.lapses_at is not None, "a match that invites has a last day"
    return mail.Invitation(
        **desk.about(), organiser=desk.names()[0], invitation_url=desk.link("invitation", "invitation"),
        until=desk.match.lapses_at, turn=timedelta(seconds=desk.match.turn_s),
    )  # fmt: skip


def _declined(desk: _Desk) -> mail.AnyLetter | str:
    left, _, epoch = (desk.row.key or "").partition(".epoch")
    gone = desk.session.get(SeatRow, (desk.match.id, int(left)))
    if desk.match.status != "inviting" or gone is None or gone.status != "declined" or gone.epoch != int(epoch):
        return "stale"
    return mail.Declined(**desk.about(), who=gone.name, match_url=desk.link("play", "play"))


def _cancelled(desk: _Desk) -> mail.AnyLetter | str:
    reason = views.sheet(desk.session, desk.match).cancelled
    if reason is None:
        return "stale"
    return mail.Cancelled(**desk.about(), organiser=desk.names()[0], reason=cast(mail.CancelReason, reason))


def _turn(desk: _Desk) -> mail.AnyLetter | str:
    view = views.view(desk.session, desk.match, desk.seat.seat)
    ask = view.ask
    if desk.match.status != "running" or ask is None or ask.origin != desk.row.key:
        return "stale"
    lang, game = desk.reader.lang, view.game
    play_url = desk.link("play", "play")
    scene = view.scene(lang)
    names = view.sheet.names
    return mail.YourTurn(
        **desk.about(), recap=_recap(view, lang), moved=any(e.by.seat == view.viewer for e in view.entries),
        board=mail.seen(game, view.fold, desk.seat.seat, lang, scene.recent),
        mute_url=desk.link("mute", "mute"), key=ask.key, title=game.meta.asks[ask.kind].title[lang],
        prompt=game.prompt(ask.ask, view.fold, lang), choices=choices(view, lang, play_url),
        deadline=ask.deadline, play_url=play_url,
        waiting=tuple(names[s.seat] for s in view.sheet.seats if not s.asked),
        asked=tuple(names[s.seat] for s in view.sheet.seats if s.asked and s.seat != desk.seat.seat),
    )  # fmt: skip


def _recap(view: View, lang: Lang) -> tuple[tuple[int, Phrase], ...]:
    """The newest lines since the reader's last move, numbered from the first one; the replay has the rest."""
    return tuple((i, line.text) for i, line in enumerate(view.recap(lang), 1))[-MOST_LINES:]


def choices(view: View, lang: Lang, play_url: str) -> tuple[mail.Choice, ...]:
    """Links to single moves where there are few of a kind, else one link a kind; at most `mail.MOST_CHOICES`."""
    assert view.ask is not None
    groups = sorted(kinds_of(view.legal()).values(), key=len)
    room = mail.MOST_CHOICES
    out: list[mail.Choice] = []
    for left, moves in zip(range(len(groups) - 1, -1, -1), groups, strict=True):
        if len(moves) <= room - left:
            out += [_single(view, move, lang, play_url) for move in moves]
            room -= len(moves)
        else:
            out.append(_kind(view, moves[0], lang, play_url))
            room -= 1
    return tuple(out)


def _single(view: View, move: Move, lang: Lang, play_url: str) -> mail.Choice:
    game: AnyGame = view.game
    picks = ",".join(step.text for step in game.path(move, view.fold, lang))
    return mail.Choice(game.label(move, view.fold, lang), game.format(move), _picked(view, play_url, picks))


def _kind(view: View, example: Move, lang: Lang, play_url: str) -> mail.Choice:
    step = view.game.path(example, view.fold, lang)[0]
    return mail.Choice(step.label, "", _picked(view, play_url, step.text))


def _picked(view: View, play_url: str, picks: str) -> str:
    assert view.ask is not None
    return f"{play_url}?{urlencode({'ask': view.ask.key, 'pick': picks})}"


def _over(desk: _Desk) -> mail.AnyLetter | str:
    view = views.view(desk.session, desk.match, desk.seat.seat)
    outcome = view.sheet.outcome
    if outcome is None or desk.seat.status != "accepted":
        return "stale"
    lang, game = desk.reader.lang, view.game
    scores = outcome.scores or (None,) * len(view.sheet.seats)
    final = store.load_state(desk.session, desk.match, game)  # the match is over: nothing is secret any more
    return mail.MatchOver(
        **desk.about(), recap=_recap(view, lang), moved=any(e.by.seat == view.viewer for e in view.entries),
        board=mail.seen(game, final, desk.seat.seat, lang, view.scene(lang).recent),
        mute_url=desk.link("mute", "mute"), outcome=game.meta.endings[outcome.reason][lang],
        standings=tuple(mail.Standing(i, i in outcome.winners, score) for i, score in enumerate(scores)),
        replay_url=desk.site.url(f"/replay/{desk.match.id}")
        if desk.match.spectators else desk.link("play", "play") + "/replay",
    )  # fmt: skip


def _links(desk: _Desk) -> mail.AnyLetter | str:
    player = desk.reader.player
    assert player.id is not None
    token = desk.site.tokens.for_account(player.id, player.epoch, desk.now)
    mine = views.my_matches(desk.site, desk.session, player)
    return mail.MyLinks(
        **desk.envelope(), account_url=desk.site.url(f"/account/{token}"), life=ACCOUNT_LIFE,
        matches=tuple(_match_link(desk.site, m) for m in mine if m.sheet.status != "cancelled")
        + tuple(_open_invitations(desk)),
    )  # fmt: skip


def _match_link(site: Site, mine: views.MyMatch) -> mail.MatchLink:
    sheet = mine.sheet
    others = sheet.names[: mine.seat] + sheet.names[mine.seat + 1 :]
    status = "over" if sheet.over else "your_turn" if sheet.seats[mine.seat].asked else "waiting"
    return mail.MatchLink(sheet.game, others, site.url(f"/play/{mine.play_token}"), cast(Any, status))


def _open_invitations(desk: _Desk) -> list[mail.MatchLink]:
    out = []
    for found in seats.open_invitations(desk.site, desk.session, desk.reader.player):
        names = found.sheet.names[: found.seat] + found.sheet.names[found.seat + 1 :]
        url = desk.site.url(f"/invitation/{found.token}")
        out.append(mail.MatchLink(found.sheet.game, names, url, "invited"))
    return out


_BUILDERS = {
    "confirm": _confirm,
    "invitation": _invitation,
    "declined": _declined,
    "cancelled": _cancelled,
    "turn": _turn,
    "over": _over,
    "links": _links,
    "renewal": _links,
}
