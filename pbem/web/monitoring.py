"""Probes: whether the process answers, and whether requests can be served."""

from flask import Blueprint, Response, jsonify

from pbem.services.monitoring import health
from pbem.web.protocol.page import site
from pbem.web.protocol.security import keep_private

RETRY_S = 5

bp = Blueprint("monitoring", __name__)


@bp.get("/healthz")
def check_liveness() -> Response:
    """Answers 200 while the process answers at all. Checks nothing else: a restart does not bring a database back."""
    keep_private()
    return Response("ok", mimetype="text/plain")


@bp.get("/readyz")
def check_readiness() -> Response:
    """Answers 200 if requests can be served, else 503; the body says which parts answer.

    Without a broker, or while mails that leave or come in, or the work of a feature, are late, mails leave without
    their pictures, or a task fails again and again, it is 200 and "degraded": moves are accepted. `why` says in a
    sentence why a process that is too old for the database is unready.
    """
    keep_private()
    found = health.read_health(site().config, site().now())
    answer = jsonify({"status": found.readiness_word, **found.parts})
    if not found.ready:
        answer.status_code = 503
        answer.headers["Retry-After"] = str(RETRY_S)
    return answer
