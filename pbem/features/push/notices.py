"""What a notification says: it may stand on a lock screen, so it names no player and tells nothing of the position.

A notification is built from the sheet of the match, which everybody at the table may see, and from the seat's own link.
It takes no board and no fold, so it waits for no drawing.

A device wakes nobody: within the player's quiet hours and on their days off the mail goes alone. It leaves and starts
the clock at the same moment as the mail of a player without devices; reminders wait until these hours are over.
"""

import base64
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, cast

import msgspec

from pbem.errors import N_
from pbem.kit.texts import Lang
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.render import i18n
from pbem.render.i18n import message_catalogue
from pbem.services.calendar import calendar, deadlines
from pbem.services.log import store
from pbem.services.site import Reading, Site
from pbem.services.tokens import PlayClaim

KINDS = ("turn", "reminder", "over")
"""The kinds of mail that a notification goes ahead of."""
SHORTEST_TTL, LONGEST_TTL = 60, 28 * 86_400
"""In seconds: how long a push service keeps what a device that is switched off has not got yet."""
OVER_TTL = 3 * 86_400
SOON = timedelta(hours=1)

WHAT = {"turn": N_("your turn"), "reminder": N_("still your turn"), "over": N_("over")}
REACTS = N_("a question")
TITLE = N_("%(game)s · %(what)s")
UNTIL = N_("until %(moment)s (%(zone)s)")
OVER = N_("The match has ended. See who won.")
STOP = N_("Stop on this device")

Urgency = Literal["normal", "high"]


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A notification: `title`, one line of text, the path that it opens, and the word on the button that ends them all.

    `tag` is the same for all notifications of a seat, so the newest takes the place of the one before. `mail` names the
    mail that follows; `row` stays here, since it counts all mails and would tell whether others were mailed. `until` is
    the deadline that will apply if it leaves now, None if there is none; `ttl_s` says how many seconds it is worth
    sending.
    """

    row: int
    mail: str
    tag: str
    lang: Lang
    title: str
    body: str
    url: str
    stop: str
    urgency: Urgency
    ttl_s: int
    until: datetime | None

    def payload(self) -> bytes:
        """Returns what the device's service worker receives, as JSON."""
        names = ("mail", "tag", "lang", "title", "body", "url", "stop")
        return msgspec.json.encode({name: getattr(self, name) for name in names})


def notice_for(
    site: Site, session: Reading, row: OutboxRow, match: Match, seat: SeatRow, player: Player
) -> Notice | None:
    """Returns the notification that goes ahead of this mail; None if its reason is gone, or the mail goes alone."""
    if row.kind not in KINDS or seat.status != "accepted" or seat.muted:
        return None
    its_days, now = calendar.calendar_of_player(session, player), site.now()
    if calendar.next_waking_time(now, its_days) != now:
        return None
    lang, game, what = cast(Lang, player.language), store.game_by_slug(match.game), WHAT[row.kind]
    _ = message_catalogue(lang).gettext
    if row.kind == "over":
        if match.status != "over":
            return None
        said: dict[str, Any] = {"body": _(OVER), "urgency": "normal", "ttl_s": OVER_TTL, "until": None}
    else:
        ask = next((one for one in store.open_asks(session, match.id) if one.seat == seat.seat), None)
        if match.status != "running" or ask is None or ask.origin != row.key or ask.deadline is None or ask.sealed_at:
            return None
        kind, until = game.meta.asks[ask.kind], deadlines.time_after_mail(ask, now, its_days).deadline
        when = {"moment": i18n.moment(until, player.zone, lang), "zone": i18n.zone_name(until, player.zone, lang)}
        what = REACTS if kind.window and row.kind == "turn" else what
        said = {
            "body": f"{kind.title[lang]} · {_(UNTIL) % when}",
            "urgency": "high" if row.kind == "reminder" or until - now <= SOON else "normal",
            "ttl_s": min(max(int((until - now).total_seconds()), SHORTEST_TTL), LONGEST_TTL),
            "until": until,
        }
    return Notice(
        row=row.id, mail=opaque_name_of_mail(site, row.dedupe),
        tag=_opaque_name(site, "tag", f"{seat.match_id}.{seat.seat}"),
        lang=lang, title=_(TITLE) % {"game": game.meta.title[lang], "what": _(what)},
        url=f"/play/{site.tokens.sign(PlayClaim(match.id, seat.seat, seat.epoch))}", stop=_(STOP), **said,
    )  # fmt: skip


def opaque_name_of_mail(site: Site, dedupe: str) -> str:
    """Returns how a notification names the mail with this key, which tells its reader nothing."""
    return _opaque_name(site, "mail", dedupe)


def _opaque_name(site: Site, purpose: str, what: str) -> str:
    """Returns 32 letters that stand for this; the push service reads those for the seat, so they tell it nothing."""
    key = hmac.digest(site.config.secret.encode(), f"pbem.push.{purpose}".encode(), "sha256")
    return base64.urlsafe_b64encode(hmac.digest(key, what.encode(), "sha256")[:24]).decode()
