"""Where the processor time of a move, a page or a mail goes.

    python -m benchmarks.service.where [moves|pages|cold|mails|boards]

The application is called in this process, without HTTP, and sampled every millisecond of its CPU time. Each sample
counts for the part whose code was running; inside the standard library, for the last caller among our modules. *cold*
pages find nothing kept; mails are those without a picture, through one connection, and *boards* are turn mails of as
many matches, each with its own picture.
"""

import io
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from benchmarks.service import endless, mails
from benchmarks.service.clients import answer
from benchmarks.service.machine import Machine, execute, machine
from benchmarks.service.matches import Answer, OpenMatch, create_match
from benchmarks.service.pages import disable_caches
from pbem import create_app
from pbem.games import all_games
from pbem.services.mail import sender
from pbem.services.site import Site

MATCHES, MOVES, PAGES, AHEAD = 16, 80, 300, 160
PARTS = {
    "psycopg": "psycopg", "sqlalchemy": "SQLAlchemy", "sqlmodel": "SQLAlchemy", "flask": "Flask", "werkzeug": "Flask",
    "flask_limiter": "Flask", "flask_smorest": "reading and answering", "marshmallow": "reading and answering",
    "webargs": "reading and answering", "structlog": "log lines", "jinja2": "templates", "markupsafe": "templates",
    "babel": "templates", "skia": "picture", "PIL": "picture", "numpy": "picture", "zlib_ng": "picture",
}  # fmt: skip
INSIDE = {
    "games": "rules", "kit": "rules", "render": "words", "api": "reading and answering", "templates": "templates",
    "models/at_once.py": "psycopg",
}  # fmt: skip
DRAWS = ("render/pictures", "render/raster/")

Job = Callable[[], int]
"""Does something once, or often; returns how often."""


def environ_of_page(path: str, **more: Any) -> dict[str, Any]:
    """Returns a request for this path, as a server hands it to the application."""
    return {
        "REQUEST_METHOD": "GET", "PATH_INFO": path,
        "QUERY_STRING": "", "SCRIPT_NAME": "", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "127.0.0.1",
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.multithread": True,
        "wsgi.multiprocess": True, "wsgi.run_once": False, "wsgi.input": io.BytesIO(), **more,
    }  # fmt: skip


def _environ_of_move(match: OpenMatch, said: Answer) -> dict[str, Any]:
    """Returns the request that sends this answer, as a server hands it to the application."""
    body = answer(match, said).partition(b"\r\n\r\n")[2]
    return environ_of_page(
        f"/api/v1/matches/{match.id}/moves", REQUEST_METHOD="POST",
        HTTP_AUTHORIZATION=f"Bearer {match.tokens[said.seat]}", CONTENT_TYPE="application/json",
        CONTENT_LENGTH=str(len(body)), **{"wsgi.input": io.BytesIO(body)},
    )  # fmt: skip


def jobs_of_requests(site: Site, requests: Sequence[dict[str, Any]], status: str) -> list[Job]:
    """Returns a call of the application for each request."""
    app = create_app(site=site)

    def begin(said: str, _headers: Any, _error: Any = None, /) -> Any:
        assert said.startswith(status), said

    def call(request: dict[str, Any]) -> int:
        b"".join(app(request, begin))
        return 1

    return [lambda request=request: call(request) for request in requests]  # type: ignore[misc]


def jobs_of_moves(ready: Machine, name: str, site: Site) -> list[Job]:
    """Returns the moves of several matches of all games, alternating."""
    slugs = [slug for slug in all_games() if slug != "endless"]
    matches = [create_match(site, slugs[i % len(slugs)], i + 1, most=MOVES) for i in range(MATCHES)]
    todo = [
        _environ_of_move(match, match.script[n]) for n in range(MOVES) for match in matches if n < len(match.script)
    ]
    return jobs_of_requests(site, todo, "201")


def jobs_of_pages(ready: Machine, name: str, site: Site) -> list[Job]:
    """Returns the page of a seat, again and again."""
    match = create_match(site, "allegeance", 40_000, most=1, ahead=AHEAD)
    page = environ_of_page(f"/play/{match.tokens[0]}", HTTP_ACCEPT_LANGUAGE="en", HTTP_ACCEPT_ENCODING="gzip")
    return jobs_of_requests(site, [page] * PAGES, "200")


def jobs_of_cold_pages(ready: Machine, name: str, site: Site) -> list[Job]:
    """Returns the same, with nothing kept between two of them."""
    disable_caches()
    return jobs_of_pages(ready, name, site)


def jobs_of_link_mails(ready: Machine, name: str, site: Site) -> list[Job]:
    """Returns runs of the outbox, with mails of links for many players."""
    for number in range(MATCHES):
        create_match(site, "hogen", 30_000 + number, scripted=False)
    execute(ready.libpq(name), "UPDATE outbox SET done_at = now()", mails.LINKS % 8)
    return [lambda: sender.drain(site, lambda: sender.transport_for(site))] * 6


def jobs_of_turn_mails(ready: Machine, name: str, site: Site) -> list[Job]:
    """Returns runs of the outbox, with the turn mails of matches of all games in the middle."""
    slugs = [slug for slug in all_games() if slug != "endless"]
    for number in range(12 * MATCHES):
        create_match(site, slugs[number % len(slugs)], 30_000 + number, most=1, ahead=8 + number % 20)
    execute(ready.libpq(name), mails.TURNS)
    return [lambda: sender.drain(site, lambda: sender.transport_for(site))] * 6


WORKS: Mapping[str, Callable[[Machine, str, Site], list[Job]]] = {
    "moves": jobs_of_moves, "pages": jobs_of_pages, "cold": jobs_of_cold_pages, "mails": jobs_of_link_mails, "boards":
    jobs_of_turn_mails,
}  # fmt: skip


def part_of(frame: FrameType | None) -> str:
    """Returns the part whose code was running."""
    while frame is not None:
        path = frame.f_code.co_filename.replace("\\", "/")
        if "/site-packages/" in path and (found := PARTS.get(path.split("/site-packages/")[1].split("/")[0])):
            return found
        if "/pbem/" in path:
            inside = path.rpartition("/pbem/")[2]
            return (
                "picture" if inside.startswith(DRAWS) else INSIDE.get(inside, INSIDE.get(inside.split("/")[0], "pbem"))
            )
        frame = frame.f_back
    return "other"


def _warm_up(todo: list[Job]) -> Iterator[Job]:
    """Does the first part of it; returns the rest."""
    first = len(todo) // 8 or 1
    for job in todo[:first]:
        job()
    yield from todo[first:]


def main(argv: Sequence[str]) -> None:
    """Does the work that is named, or plays, and prints the shares."""
    what, counted, out = argv[0] if argv else "moves", Counter[str](), sys.stdout
    with endless.register_endless_game(), machine() as ready:
        name = ready.empty()
        site = ready.site(name)
        todo = [*_warm_up(WORKS[what](ready, name, site))]
        signal.signal(signal.SIGPROF, lambda _number, frame: counted.update([part_of(frame)]))
        signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
        start = time.process_time()
        done = sum(job() for job in todo)
        spent = time.process_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        site.engine.dispose()
    out.write(f"{spent / done * 1000:.2f} ms of a processor for each of {done} {what}\n")
    for part, count in counted.most_common():
        out.write(f"{count / counted.total():6.1%}  {part}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
