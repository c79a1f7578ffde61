"""What probes ask: whether the process lives, and whether it should be given requests."""

from flask import Blueprint, Response, jsonify

from pbem.services.monitoring import health
from pbem.web.protocol.page import site
from pbem.web.protocol.security import keep_private

RETRY_S = 5

bp = Blueprint("health", __name__)


@bp.get("/healthz")
def alive() -> Response:
    """200 as long as the process answers at all. Asks nothing of anybody: a restart cures no absent database."""
    keep_private()
    return Response("ok", mimetype="text/plain")


@bp.get("/readyz")
def ready() -> Response:
    """200 if requests can be served, else 503; the body says what answers and what does not.

    Without a broker it is 200 and "degraded": moves are taken, and their mails leave when the broker is back. So it is
    when mails have been waiting for long.
    """
    keep_private()
    found = health.look(site().config, site().now())
    parts = {"database": found.database, "schema": found.schema, "broker": found.broker, "mail": found.mail}
    answer = jsonify({"status": found.status, **parts})
    if not found.ready:
        answer.status_code = 503
        answer.headers["Retry-After"] = str(RETRY_S)
    return answer
