"""The content of webhook calls, built at the moment of the call, as the webhook's owner may see it.

A program gets JSON made from the owner's own view of the match; the host's programs get the spectators' view. Messages
to a chat are read by others as well: they say in words what everybody at the table may know, with a link that reveals
no more than that.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, cast

from msgspec import Meta, Struct
from sqlmodel import Session, col, select

from pbem.answers import about, of_games, one_of
from pbem.clock import iso_format
from pbem.errors import N_
from pbem.features.webhooks.chats import FORMS, Message
from pbem.features.webhooks.subjects import subject_of_features
from pbem.features.webhooks.tables import Delivery, Webhook, WebhookCursor
from pbem.kit.codec import encode
from pbem.kit.contract import Outcome, Viewer
from pbem.kit.replay import Undone
from pbem.kit.texts import Lang
from pbem.models.tables import AskRow, Match, SeatRow
from pbem.render import i18n
from pbem.render.i18n import message_catalogue
from pbem.render.phrases import phrase_text
from pbem.render.table_story import outcome_in_words
from pbem.services.log import proofs
from pbem.services.log.store import Table
from pbem.services.site import Reading, Site
from pbem.services.views import match_views
from pbem.services.views.match_views import OpenAsk, Sheet, View

MOST_EVENTS = 100
MOST_LINES = 10
TYPES = {"your_turn": "turn.asked", "moved": "match.moved", "over": "match.over", "ping": "ping"}
"""The types of calls about matches; those about something else have their own: see `subjects`."""
AGENT = "pbem-webhooks/1"


@dataclass(frozen=True)
class Call:
    """One request as it is posted."""

    url: str
    body: bytes
    headers: dict[str, str]


Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class AskTold(Struct, frozen=True):
    """The open question of the webhook's owner."""

    key: str
    kind: str
    deadline: Moment | None


class MatchNews(Struct, frozen=True, kw_only=True):
    """What happened in a match, as the webhook's owner may see it."""

    match: str
    game: str
    status: str
    seat: int | None
    after: Annotated[int, about("The version that the call before told.")]
    version: int
    base: str | None
    head: str | None
    events: list[Annotated[Any, of_games("Entry")]]
    more: Annotated[bool, about("Whether there are more entries than the call tells.")]
    ask: AskTold | None
    outcome: Outcome | None
    cancelled: str | None
    page: Annotated[str, about("For people, without a token.")]


_OF_MATCHES = [kind for name, kind in TYPES.items() if name != "ping"]


class MatchCall(Struct, frozen=True):
    """A call about a match, as it is posted: signed as Standard Webhooks says, unless it goes to a chat."""

    type: Annotated[str, one_of(_OF_MATCHES)]
    timestamp: Moment
    data: MatchNews


class PingCall(Struct, frozen=True):
    """A test call."""

    type: Annotated[str, one_of([TYPES["ping"]])]
    timestamp: Moment
    data: dict[str, Any]


# --- the secret ----------------------------------------------------------------------------------------------


def secret_of_webhook(site: Site, hook: Webhook) -> str:
    """Returns the secret that signs the webhook's calls. It is not stored; changing `epoch` changes it."""
    return "whsec_" + base64.b64encode(_key_of_signature(site, hook)).decode()


def _key_of_signature(site: Site, hook: Webhook) -> bytes:
    purpose = hmac.digest(site.config.secret.encode(), b"pbem.webhook", "sha256")
    return hmac.digest(purpose, f"{hook.salt}.{hook.epoch}".encode(), "sha256")


def signature_of_call(key: bytes, call_id: str, stamp: int, body: bytes) -> str:
    """Returns the signature of a call according to Standard Webhooks: of its id, its time and its body."""
    signed = hmac.digest(key, f"{call_id}.{stamp}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(signed).decode()}"


# --- the call ------------------------------------------------------------------------------------------------


def request_of_call(site: Site, session: Reading, row: Delivery, hook: Webhook) -> Call | None:
    """Returns the request to make now; None if there is nothing to tell any more, or the owner may not know it."""
    data = _content_of_call(site, session, row, hook)
    if data is None:
        return None
    body = encode(FORMS[hook.preset](data) if isinstance(data, Message) else data)
    headers = {"Content-Type": "application/json", "User-Agent": AGENT}
    if hook.preset == "standard":  # for a chat the URL itself is the secret
        # The same for every attempt; not the row's id, which may be used again once the row is deleted.
        call_id = "msg_" + hashlib.sha256(f"{hook.salt}.{row.dedupe}".encode()).hexdigest()[:32]
        stamp = int(site.now().timestamp())
        headers |= {
            "webhook-id": call_id,
            "webhook-timestamp": str(stamp),
            "webhook-signature": signature_of_call(_key_of_signature(site, hook), call_id, stamp, body),
        }
    return Call(hook.url, body, headers)


def _content_of_call(site: Site, session: Reading, row: Delivery, hook: Webhook) -> dict[str, Any] | Message | None:
    """Returns what is told, signed JSON for a program and a message for a chat; None if there is nothing to tell."""
    program = hook.preset == "standard"
    if row.kind == "ping":
        if program:
            return _body_of_call(row, TYPES["ping"], {})
        return Message(message_catalogue(cast(Lang, hook.language)).gettext(N_("pbem can write here.")))
    if hook.about is not None:
        other = subject_of_features(site.config.features)
        news = other.read_news(session, row, hook) if other is not None else None
        if news is None:
            return None
        return (
            _body_of_call(row, news.type, news.data(site)) if program else news.message(site, cast(Lang, hook.language))
        )
    view = _view_of_owner(session, row, hook)
    if view is None:
        return None
    if program:
        return _body_of_call(row, TYPES[row.kind], _news_for_program(site, session, row, view))
    return _message_for_chat(site, row, hook, view)


def _view_of_owner(session: Reading, row: Delivery, hook: Webhook) -> View | None:
    """Returns the match as the webhook's owner may see it now; None if they may not see it any more.

    For a chat it is the spectators' view.
    """
    match = session.get(Match, row.match_id)
    if match is None:
        return None
    see = partial(match_views.glance, Table(session, match), enough=lambda seen: seen.tells(row.after_n))
    if hook.player_id is None:
        return see(None) if match_views.is_watchable(session, match) else None
    seat = _seat_of_owner(session, row, hook.player_id)
    if seat is None:
        return None
    view = see(seat)
    if row.kind == "your_turn" and (view.ask is None or view.ask.key != row.key):
        return None
    if hook.preset != "standard":
        return see(None)  # the whole table reads it: not even sealing is looked at
    return None if row.kind == "your_turn" and view.ask is not None and view.ask.sealed is not None else view


def _seat_of_owner(session: Session, row: Delivery, player_id: int) -> Viewer:
    """Returns the player's seat in the match: the one that is asked, or their first; None if they have none."""
    held = select(SeatRow.seat).where(
        col(SeatRow.match_id) == row.match_id, col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted",
        col(SeatRow.bot).is_(None),
    )  # fmt: skip
    if row.seat is not None:
        held = held.where(col(SeatRow.seat) == row.seat)
    return session.exec(held.order_by(col(SeatRow.seat)).limit(1)).first()


def _body_of_call(row: Delivery, kind: str, data: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": iso_format(row.created_at), "data": data}


def _news_for_program(site: Site, session: Reading, row: Delivery, view: View) -> MatchNews:
    """Returns the content for a program, as in the API: redacted entries, the open ask, the outcome."""
    sheet = view.sheet
    match = session.get_one(Match, sheet.id)
    base, head, events = proofs.read_stretch(session, match, view.recent, row.after_n, row.n)
    return MatchNews(
        match=sheet.id,
        game=sheet.game.meta.slug,
        status=sheet.status,
        seat=view.viewer,
        after=row.after_n,
        version=row.n,
        base=base,
        head=head,
        events=events[:MOST_EVENTS],
        more=len(events) > MOST_EVENTS,
        ask=_question_to_owner(session, row, view.ask),
        outcome=sheet.outcome,
        cancelled=sheet.cancelled,
        page=_url_of_match_or_home(site, sheet),
    )


def _url_of_match_or_home(site: Site, sheet: Sheet) -> str:
    """Returns the URL for a person, never a play link: the match, or the home page if there are no spectators."""
    return site.url(f"/match/{sheet.id}" if sheet.spectators else "/")


def _question_to_owner(session: Reading, row: Delivery, ask: OpenAsk | None) -> AskTold | None:
    """Returns the owner's open question; None also if what has put it is held and still to be told."""
    if ask is None:
        return None
    put = select(AskRow.opened_n).where(AskRow.match_id == row.match_id, AskRow.key == ask.key, AskRow.seat == ask.seat)
    told = select(WebhookCursor.n).where(
        WebhookCursor.webhook_id == row.webhook_id, WebhookCursor.match_id == row.match_id
    )
    if (session.exec(told).first() or 0) < (session.exec(put).first() or 0):
        return None
    return AskTold(ask.key, ask.kind, iso_format(ask.deadline) if ask.deadline is not None else None)


# --- messages for chats --------------------------------------------------------------------------------------


def _message_for_chat(site: Site, row: Delivery, hook: Webhook, view: View) -> Message | None:
    """Returns what everybody at the table may know, in the webhook's language; None if all of it was taken back."""
    lang, sheet = cast(Lang, hook.language), view.sheet
    _ = message_catalogue(lang).gettext
    table = _("%(game)s with %(others)s") % {
        "game": sheet.game.meta.title[lang], "others": i18n.join_and(sheet.names, lang)
    }  # fmt: skip
    link = _url_of_match_or_home(site, sheet)
    if row.kind == "your_turn":
        name = sheet.names[row.seat or 0]
        return Message(_("%(table)s: %(name)s is up.") % {"table": table, "name": name}, (), link)
    story = [line for line in view.story(lang, row.after_n) if line.n <= row.n]
    # Of what was taken back the chat has heard nothing, nor need it hear that it was.
    counts = [
        line
        for line in story
        if not line.undone and not (isinstance(line.event, Undone) and line.event.to >= row.after_n)
    ]
    if story and not counts and row.kind == "moved":
        return None
    lines = tuple(phrase_text(line.text, sheet.names) for line in counts)
    if row.kind == "over":
        return Message(_("%(table)s: the match is over.") % {"table": table}, (_end_in_words(sheet, lang),), link)
    return Message(_("%(table)s:") % {"table": table}, lines[-MOST_LINES:], link)


def _end_in_words(sheet: Sheet, lang: Lang) -> str:
    """Returns who has won and why, or that the match was cancelled."""
    if sheet.outcome is None:
        return message_catalogue(lang).gettext("The match was called off.")
    return outcome_in_words(sheet.game, sheet.outcome, sheet.names, lang)
