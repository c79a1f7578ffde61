"""Figures for Prometheus, which are read at the scrape from the database and Redis.

So any web process reports for all, and gives the same figures: scrape one of them, or take `max` and not `sum` over
them. No label holds an address, a name, a token or the id of a match.
"""

import hmac

from flask import Blueprint, Response, abort, request

from pbem.web.protocol.page import site
from pbem.web.protocol.security import is_local_request, keep_private

bp = Blueprint("metrics", __name__)
PARTS = (bp,)


@bp.get("/metrics")
def metrics() -> Response:
    """Returns the figures to requests with the token, or without that setting to this machine; 404 to all others."""
    keep_private()
    token = site().config.metrics_token
    if token is None:
        may_read = is_local_request()
    else:
        sent = request.headers.get("Authorization", "")
        may_read = hmac.compare_digest(sent.encode(), f"Bearer {token}".encode())
    if not may_read:
        abort(404)
    # The library is loaded where there is somebody who scrapes.
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

    from pbem.features.metrics.families import Figures

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(site()))
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
