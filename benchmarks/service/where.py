"""Where the processor time of a move goes in the web process: `python -m benchmarks.service.where`.

The application is called in this process, without HTTP, and sampled every millisecond of its CPU time. Each sample
counts for the part whose code was running; inside the standard library, for the last caller among our modules.
"""

import io
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

from benchmarks.service import endless
from benchmarks.service.clients import answer
from benchmarks.service.machine import machine
from benchmarks.service.matches import Answer, OpenMatch, create_match
from pbem import create_app
from pbem.games import all_games

MATCHES, WARM, MOVES = 16, 10, 80
PARTS = {
    "psycopg": "psycopg", "sqlalchemy": "SQLAlchemy", "sqlmodel": "SQLAlchemy", "flask": "Flask", "werkzeug": "Flask",
    "flask_limiter": "Flask", "flask_smorest": "reading and answering", "marshmallow": "reading and answering",
    "webargs": "reading and answering", "structlog": "log lines",
}  # fmt: skip


def environ(match: OpenMatch, said: Answer) -> dict[str, Any]:
    """Returns the request that sends this answer, as a server hands it to the application."""
    body = answer(match, said).partition(b"\r\n\r\n")[2]
    return {
        "REQUEST_METHOD": "POST", "PATH_INFO": f"/api/v1/matches/{match.id}/moves",
        "QUERY_STRING": "", "SCRIPT_NAME": "", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "127.0.0.1",
        "HTTP_AUTHORIZATION": f"Bearer {match.tokens[said.seat]}",
        "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body),
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.multithread": True,
        "wsgi.multiprocess": True, "wsgi.run_once": False,
    }  # fmt: skip


def part_of(frame: FrameType | None) -> str:
    """Returns the part whose code was running."""
    while frame is not None:
        path = frame.f_code.co_filename.replace("\\", "/")
        if "/site-packages/" in path and (found := PARTS.get(path.split("/site-packages/")[1].split("/")[0])):
            return found
        if "/pbem/" in path:
            inside = path.rpartition("/pbem/")[2].split("/")[0]
            return {"games": "rules", "kit": "rules", "api": "reading and answering"}.get(inside, "pbem")
        frame = frame.f_back
    return "other"


def requests(matches: list[OpenMatch], first: int, last: int) -> Iterator[dict[str, Any]]:
    """Returns the answers of all matches, alternating."""
    for n in range(first, last):
        yield from [environ(match, match.script[n]) for match in matches if n < len(match.script)]


def main() -> None:
    """Plays, and prints the shares."""
    endless.register()
    slugs, counted, out = [slug for slug in all_games() if slug != "endless"], Counter[str](), sys.stdout
    with machine() as ready:
        site = ready.site(ready.empty())
        matches = [create_match(site, slugs[i % len(slugs)], i + 1, most=MOVES) for i in range(MATCHES)]
        app, told = create_app(site=site), list[str]()

        def begin(status: str, _headers: Any, _error: Any = None, /) -> Any:
            told.append(status)

        def call(request: dict[str, Any]) -> None:
            b"".join(app(request, begin))

        for request in requests(matches, 0, WARM):
            call(request)
        signal.signal(signal.SIGPROF, lambda _number, frame: counted.update([part_of(frame)]))
        todo = list(requests(matches, WARM, MOVES))
        signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
        start = time.process_time()
        for request in todo:
            call(request)
        spent = time.process_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        site.engine.dispose()
    assert all(status.startswith("201") for status in told), "every move is accepted"
    out.write(f"{spent / len(todo) * 1000:.2f} ms of a processor for each of {len(todo)} moves\n")
    for part, count in counted.most_common():
        out.write(f"{count / counted.total():6.1%}  {part}\n")


if __name__ == "__main__":
    main()
