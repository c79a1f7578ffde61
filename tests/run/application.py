"""The application as tests serve it: with some more pages, and with other time limits if a test sets them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from flask import Flask, Response, jsonify, request

import pbem
from pbem.run import connections
from pbem.services.views.waiting import VISIT, Pause, Visit

LARGE_BYTES = 3 * 1024 * 1024


def create_app() -> Flask:
    """Returns the service's own application with pages under /test that report how they were called."""
    app = pbem.create_app()
    app.add_url_rule("/test/limits", view_func=limits)
    app.add_url_rule("/test/asked", view_func=report_request, methods=["GET", "POST"])
    app.add_url_rule("/test/large", view_func=large)
    app.add_url_rule("/test/held", view_func=hold_request)
    app.add_url_rule("/test/waits", view_func=waits)
    app.add_url_rule("/test/endless", view_func=endless)
    return app


def limits() -> str:
    """Sets the time limits of all new connections, in seconds."""
    connections.READ_S = connections.SEND_S = float(request.args["seconds"])
    connections.KEEP_ALIVE_S = request.args.get("idle", connections.READ_S, type=float)
    return "set"


def report_request() -> Response:
    """Reports the request as the application sees it, and its process."""
    variables = {name: value for name, value in request.environ.items() if isinstance(value, str)}
    return jsonify(variables | {"pid": os.getpid(), "body": request.get_data(as_text=True)})


def large() -> bytes:
    """Sends more than the buffers between here and a client that reads nothing can hold."""
    return bytes(LARGE_BYTES)


def hold_request() -> str:
    """Answers once the folder that the request names holds a file `go`, or is gone; writes there that it has begun."""
    folder = Path(request.args["folder"])
    number = len(list(folder.glob("begun*")))
    (folder / f"begun{number}-{os.getpid()}").touch()
    while folder.exists() and not (folder / "go").exists():
        time.sleep(0.01)
    return str(os.getpid())


def waits() -> str:
    """Waits for something that never happens, like a request that waits for a match; says whether it could."""
    visit: Visit = request.environ[VISIT]
    could = visit.ask_to_pause(Pause("bob", stranger=False, most_s=3600))
    (Path(request.args["folder"]) / "waits").touch()
    return str(could)


def endless() -> Response:
    """Streams until the client leaves; a file in the folder that the request names records that it ended."""
    folder = Path(request.args["folder"])

    def pieces() -> Iterator[bytes]:
        try:
            while True:
                yield b"more\n" * 10_000
                time.sleep(0.02)
        finally:
            (folder / "left").touch()

    return Response(pieces(), headers={"X-Accel-Buffering": "no"})
