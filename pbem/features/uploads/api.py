"""Uploaded logs, for programs: kept for a month under an address that only its receivers know.

The document has called them `imports` from the beginning.
"""

from datetime import datetime
from typing import Annotated, cast

from flask import Response, request, url_for
from msgspec import Meta, Struct

from pbem.answers import about, one_of
from pbem.api.protocol.answers import schema_reference
from pbem.api.protocol.bodies import duplicate
from pbem.api.protocol.callers import PLAYER, SOMEONE, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key
from pbem.api.protocol.problems import NotJson, with_fields
from pbem.api.views.match_views import AnyLog, Reader
from pbem.errors import N_, Invalid
from pbem.features.uploads import uploaded_logs
from pbem.features.uploads.limits import LOGS
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import RepeatedName
from pbem.kit.logs.verdict import verify
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.kit.texts import LANGS
from pbem.limits import Limit
from pbem.services.who import Caller

_BODY = {"application/json": {"schema": schema_reference(AnyLog)}}

blueprint = Endpoints("imports", "Portable logs from anywhere, kept to be watched.")

PARTS = (blueprint,)
AFTER = "streams"
LIMITS = (Limit("api-imports.send", LOGS),)


_LEFT_OUT = "; ".join(f"`{name}`: {what.en}" for name, what in NOT_CHECKED.items())


class Imported(Struct, frozen=True):
    """A log that is kept here: where to watch it, until when, and whether it agrees with itself."""

    id: str
    game: str
    seats: int
    viewer: Reader
    page: Annotated[str, about("Where people watch it."), Meta(extra_json_schema={"format": "uri"})]
    until: datetime
    verified: Annotated[
        bool | None,
        about(
            "Whether the log agrees with itself: its commitment, lucky words and chain are its own, and "
            "with its seed the rules give just these entries. Anyone can make up such a log: true does not say "
            "that the match was played. Null: it cannot be checked, as before the end of the match."
        ),
    ]
    not_checked: Annotated[
        list[Annotated[str, one_of(list(NOT_CHECKED))]], about(f"What `verified` says nothing about: {_LEFT_OUT}.")
    ]


@blueprint.operation(
    "sendLog",
    "POST /logs",
    who=SOMEONE,
    scopes=("create",),
    status=201,
    repeatable=True,
    refuses=(400, 404, 409, 413, 415, 429),
    requestBody={"required": True, "content": _BODY},
)
def send(who: Caller) -> tuple[Imported, dict[str, str]]:
    """Keeps a portable log for a month, so that it opens in the viewer, to be watched and not played on."""
    if not request.is_json:
        raise NotJson(N_("Send the body as application/json."))
    try:
        kept = uploaded_logs.keep_log(site(), who, request.get_data(), once=idempotency_key())
    except RepeatedName as error:
        raise duplicate(error.name) from None
    except BadLog as error:
        why = {lang: error.said[lang] for lang in LANGS}
        if error.entry is None:
            raise Invalid(N_("This log cannot be opened here: %(why)s."), {"why": why}) from None
        named = Invalid(N_("Entry %(n)s: %(why)s."), {"n": error.entry, "why": why})
        raise with_fields(named, f"events.{error.entry - 1}") from None
    log = kept.log
    verdict = verify(log)
    sheet = Imported(
        kept.id, log.game.meta.slug, log.seats, cast(Reader, log.viewer),
        site().url(url_for("uploads.show", log_id=kept.id)), kept.until,
        verdict.ok if verdict.checked else None, list(verdict.not_checked),
    )  # fmt: skip
    return sheet, {"Location": url_for("api-imports.document", log_id=kept.id)}


@blueprint.operation("getSentLog", "GET /logs/<log_id>", gives=AnyLog)
def document(log_id: str) -> Response:
    """The log, in its canonical form, for anyone who knows its id."""
    response = Response(uploaded_logs.read_document(site(), log_id), mimetype="application/json")
    response.headers["X-Robots-Tag"] = "noindex"  # as the page has it that shows the log
    return response


@blueprint.operation(
    "deleteSentLog",
    "DELETE /logs/<log_id>",
    who=PLAYER,
    scopes=("create",),
    must_match=document,
)
def delete(log_id: str, player_id: int) -> None:
    """Throws a log away before its month is over; for the player whose token came with it when it was sent."""
    uploaded_logs.remove_log(site(), player_id, log_id)
