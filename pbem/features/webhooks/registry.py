"""Webhooks: URLs that players and the host have registered, to be called when something happens.

A player's webhook is told what they may see of their matches, the host's what spectators may see of the matches that
admit them, and one about something that a feature brings, what that says (`subjects`). `owner` is a player's id, or
HOST. `cursors`, `payloads` and `list_calls` decide what is told and how it is sent.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import delete
from sqlmodel import Session, SQLModel, col, select

from pbem.errors import CHANGED, N_, Changed, Forbidden, Gone, Invalid, NoMatch, NotFound, NotOffered, TooMany
from pbem.features.webhooks import cursors
from pbem.features.webhooks.chats import check_hook_url
from pbem.features.webhooks.deliveries import disable_webhook
from pbem.features.webhooks.payloads import secret_of_webhook
from pbem.features.webhooks.sheets import DeliverySheet, WebhookSheet, call_sheet, webhook_sheet
from pbem.features.webhooks.subjects import check_kinds, check_preset, subject_of_all_features, subject_of_features
from pbem.features.webhooks.tables import Delivery, Webhook, WebhookCursor
from pbem.models.tables import SeatRow, table
from pbem.services.access.idempotency import IdempotencyKey, claim_key, missing_result_error, store_answer
from pbem.services.log import locks, store
from pbem.services.site import Site
from pbem.services.statements import sweep_of_table
from pbem.services.views import match_views
from pbem.services.who import HOST, Owner

MOST = 10
PAGE = 50
SOON_S = 10
"""The seconds between two calls requested by hand, at least."""
KEPT = timedelta(days=30)
_NONE = N_("There is no such webhook.")
_Row = TypeVar("_Row", bound=SQLModel)


# --- adding, changing, removing ------------------------------------------------------------------------------


def add_webhook(
    site: Site,
    owner: Owner,
    url: str,
    kinds: Sequence[str],
    preset: str = "standard",
    match_id: str | None = None,
    language: str | None = None,
    about: str | None = None,
    once: IdempotencyKey | None = None,
) -> tuple[WebhookSheet, str | None]:
    """Adds a webhook and returns it with its secret, which is shown this once; chats have no secret.

    The webhook gets no past events. A request repeated with `once` returns the same webhook without the secret.
    Raises Unlinkable, Invalid, NotFound, NotOffered, Gone, KeyReused, Unauthorized, and what `Subject.check` does.
    """
    url = check_hook_url(url, check_preset(preset), private=site.config.webhooks_private)
    other = subject_of_features(site.config.features) if about is not None else None
    if about is not None and other is None:
        raise NotOffered
    wanted, now = check_kinds(kinds, owner, other), site.now()
    if match_id is not None and other is not None:
        raise Invalid(other.not_both, fields=("match", other.name))
    with site.writing() as work:
        player = locks.lock_player(work, owner) if owner is not HOST else None
        if (made := _row_made_before(work, once, now, Webhook)) is not None:
            return webhook_sheet(made), None
        if player is not None and len(_webhooks_of_owner(work, owner)) >= MOST:
            raise Invalid(N_("You have %(count)s webhooks; delete one first."), {"count": MOST})
        if match_id is not None:
            _check_access_to_match(work, owner, match_id)
        if about is not None and other is not None:
            other.check(work, owner, about)
        hook = Webhook(
            player_id=_player_id(owner), match_id=match_id, about=about, url=url,
            kinds=" ".join(wanted), preset=preset, language=language or (player.language if player else "en"),
            salt=site.entropy(16).hex(), created_at=now,
        )  # fmt: skip
        work.put(hook)
        cursors.start_cursors(work, hook)
        store_answer(work, once, json.dumps({"id": hook.id}))
        return webhook_sheet(hook), _secret_unless_chat(site, hook)


def _row_made_before(session: Session, once: IdempotencyKey | None, now: datetime, kind: type[_Row]) -> _Row | None:
    """Returns what this request has made before; None if it is done now. Raises KeyReused, Busy, Gone."""
    if (answer := claim_key(session, once, now)) is None:
        return None
    made = session.get(kind, json.loads(answer)["id"])
    if made is None:
        raise missing_result_error()
    return made


def _secret_unless_chat(site: Site, hook: Webhook) -> str | None:
    return secret_of_webhook(site, hook) if hook.preset == "standard" else None


def _check_access_to_match(session: Session, owner: Owner, match_id: str) -> None:
    """Raises NoMatch if the owner has no access to the match, as if there were none."""
    if owner is HOST:
        match_views.visible_match(session, match_id, None)
        return
    if not store.MATCH_ID.fullmatch(match_id):
        raise NoMatch
    own = select(SeatRow.seat).where(col(SeatRow.match_id) == match_id, col(SeatRow.player_id) == owner)
    if session.exec(own.where(col(SeatRow.status) == "accepted")).first() is None:
        raise NoMatch


def change_webhook(
    site: Site,
    owner: Owner,
    hook_id: int,
    *,
    kinds: Sequence[str] | None = None,
    active: bool = False,
    rotate: bool = False,
    was: tuple[object, ...] | None = None,
) -> tuple[WebhookSheet, str | None]:
    """Changes the webhook's kinds, enables it or rotates its secret; returns it with the new secret, if any.

    Events from while it was disabled are not delivered. The old secret is no longer used. If `was` is given, the change
    is made only if the webhook's `owner_settings` still equals it. Raises NotFound, Invalid, Forbidden, Changed.
    """
    with site.writing() as work:
        hook = _own_webhook(work, owner, hook_id, lock=True)
        about = subject_of_all_features() if hook.about is not None else None
        wanted = check_kinds(kinds, owner, about) if kinds is not None else None
        if was is not None and was != webhook_sheet(hook).owner_settings:
            raise Changed(CHANGED, etag="")
        if wanted is not None:
            hook.kinds = " ".join(wanted)
        if active and hook.why == "host":
            raise Forbidden(N_("The host has stopped this webhook."))
        if active and hook.disabled_at is not None:
            _enable_webhook(work, hook)
        if rotate:
            hook.epoch += 1
        work.flush()
        return webhook_sheet(hook), _secret_unless_chat(site, hook) if rotate else None


def _enable_webhook(session: Session, hook: Webhook) -> None:
    """Enables the webhook for events from now on."""
    hook.failing_since, hook.wait_until, hook.disabled_at, hook.why = None, None, None, None
    _delete_cursors(session, hook)
    cursors.start_cursors(session, hook)


def _delete_cursors(session: Session, hook: Webhook) -> None:
    other = subject_of_all_features()
    for t in (table(WebhookCursor), *((table(other.cursors),) if other is not None else ())):
        session.connection().execute(delete(t).where(t.c.webhook_id == hook.id))


def remove_webhook(site: Site, owner: Owner, hook_id: int) -> None:
    """Removes the webhook with all its calls, except one in progress. Raises NotFound."""
    with site.writing() as work:
        _delete_webhook(work, _own_webhook(work, owner, hook_id, lock=True))


def remove_all_of_player(session: Session, player_id: int) -> None:
    """Removes all webhooks of the player, effective with the commit.

    Locks each first: a delivery may be being queued for one.
    """
    for hook in _webhooks_of_owner(session, player_id, lock=True):
        _delete_webhook(session, hook)


def _delete_webhook(session: Session, hook: Webhook) -> None:
    session.connection().execute(delete(Delivery).where(col(Delivery.webhook_id) == hook.id))
    _delete_cursors(session, hook)
    session.delete(hook)
    session.flush()


# --- reading -------------------------------------------------------------------------------------------------


def _player_id(owner: Owner) -> int | None:
    """Returns the owner's player id as a row stores it; None for the host."""
    return None if owner is HOST else owner


def _webhooks_of_owner(session: Session, owner: Owner, *, lock: bool = False) -> Sequence[Webhook]:
    own = select(Webhook).where(col(Webhook.player_id) == _player_id(owner)).order_by(col(Webhook.id))
    return session.exec(own.with_for_update() if lock else own).all()


def _own_webhook(session: Session, owner: Owner, hook_id: int, *, lock: bool = False) -> Webhook:
    """Returns the owner's webhook with this id. Raises NotFound, also for another owner's."""
    hook = _any_webhook(session, hook_id, lock=lock)
    if hook.player_id != _player_id(owner):
        raise NotFound(_NONE)
    return hook


def _any_webhook(session: Session, hook_id: int, *, lock: bool = True) -> Webhook:
    hook = session.get(Webhook, hook_id, with_for_update=lock) if hook_id < 2**31 else None
    if hook is None:
        raise NotFound(_NONE)
    return hook


def list_webhooks(site: Site, owner: Owner) -> list[WebhookSheet]:
    """Returns the owner's webhooks, oldest first."""
    with site.reading() as session:
        return [webhook_sheet(hook) for hook in _webhooks_of_owner(session, owner)]


def read_webhook(site: Site, owner: Owner, hook_id: int) -> WebhookSheet:
    """Returns one of the owner's webhooks. Raises NotFound."""
    with site.reading() as session:
        return webhook_sheet(_own_webhook(session, owner, hook_id))


def list_calls(site: Site, owner: Owner, hook_id: int, before: int = 0) -> tuple[list[DeliverySheet], int | None]:
    """Returns the webhook's calls with ids below `before`, newest first, and the next `before`, None at the end.

    Raises NotFound.
    """
    with site.reading() as session:
        _own_webhook(session, owner, hook_id)
        found = select(Delivery).where(col(Delivery.webhook_id) == hook_id)
        if before:
            found = found.where(col(Delivery.id) < before)
        rows = session.exec(found.order_by(col(Delivery.id).desc()).limit(PAGE + 1)).all()
        made = [call_sheet(row) for row in rows[:PAGE]]
    return made, made[-1].id if len(rows) > PAGE else None


# --- test calls and retries ----------------------------------------------------------------------------------


def send_test_call(site: Site, owner: Owner, hook_id: int, once: IdempotencyKey | None = None) -> DeliverySheet:
    """Queues a call without content, to test the webhook. Raises NotFound, Gone, TooMany, KeyReused."""
    now = site.now()
    with site.writing() as work:
        hook = _own_webhook(work, owner, hook_id, lock=True)
        if (made := _row_made_before(work, once, now, Delivery)) is not None:
            return call_sheet(made)
        _check_enabled(hook)
        pings = (col(Delivery.webhook_id) == hook_id, col(Delivery.kind) == "ping")
        lately = select(Delivery.id).where(*pings, col(Delivery.created_at) > now - timedelta(seconds=SOON_S))
        if work.exec(lately).first() is not None:
            raise _too_soon_error()
        dedupe = f"{hook_id}:ping:{site.entropy(8).hex()}"
        row = Delivery(webhook_id=hook_id, dedupe=dedupe, kind="ping", created_at=now, due_at=now)
        work.add(row)
        work.wakes = True
        work.flush()
        store_answer(work, once, json.dumps({"id": row.id}))
        return call_sheet(row)


def redeliver_call(
    site: Site, owner: Owner, hook_id: int, delivery_id: int, once: IdempotencyKey | None = None
) -> DeliverySheet:
    """Makes the call due again under its old id; an open call becomes due now.

    Raises NotFound, Gone, TooMany, KeyReused.
    """
    now = site.now()
    with site.writing() as work:
        hook = _own_webhook(work, owner, hook_id, lock=True)
        row = work.get(Delivery, delivery_id, with_for_update=True) if delivery_id < 2**31 else None
        if row is None or row.webhook_id != hook_id:
            raise NotFound(N_("There is no such delivery."))
        if claim_key(work, once, now) is not None:
            return call_sheet(row)
        _check_enabled(hook)
        if row.done_at is not None:
            if row.done_at > now - timedelta(seconds=SOON_S):
                raise _too_soon_error()
            row.done_at, row.result, row.attempts, row.due_at = None, None, 0, now
        row.due_at = min(row.due_at, now)
        store_answer(work, once, json.dumps({"id": row.id}))
        work.wakes = True
        work.flush()
        return call_sheet(row)


def _check_enabled(hook: Webhook) -> None:
    if hook.disabled_at is not None:
        raise Gone(N_("This webhook is disabled. Enable it first."))


def _too_soon_error() -> TooMany:
    return TooMany(N_("This was done a moment ago. Please wait a few seconds."), retry_after=SOON_S)


forget_old = sweep_of_table(Delivery, lambda c, now: c.done_at < now - KEPT)


# --- actions of the host -------------------------------------------------------------------------------------


def list_all_webhooks(site: Site) -> list[tuple[Owner, WebhookSheet]]:
    """Returns all webhooks, each with its owner."""
    with site.reading() as session:
        rows = session.exec(select(Webhook).order_by(col(Webhook.id)))
        return [(HOST if hook.player_id is None else hook.player_id, webhook_sheet(hook)) for hook in rows]


def disable_webhook_as_host(site: Site, hook_id: int) -> None:
    """Disables any owner's webhook on behalf of the host; its player cannot enable it. Raises NotFound."""
    with site.writing() as work:
        disable_webhook(work, _any_webhook(work, hook_id), "host", site.now())


def enable_webhook_as_host(site: Site, hook_id: int) -> None:
    """Enables any webhook on behalf of the host, no matter who owns it or disabled it. Raises NotFound."""
    with site.writing() as work:
        _enable_webhook(work, _any_webhook(work, hook_id))
