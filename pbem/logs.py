"""Log lines: structured, and without anything a log must not hold.

Tracebacks are plain: the pretty kind prints local variables, and locals hold tokens, addresses and hands. A server
that cannot be reached, or a process that was killed, is one line and not a traceback, which would tell a host nothing
more. Each line is written together with its newline, because several processes may write into one file.
"""

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec
import structlog

from pbem.discovery import attributes_of_features, packages_of_features

_CONNECTIONS = ("amqp", "celery", "kombu", "redis", "flask-limiter", "flask_limiter", "limits")
"""Libraries that talk to the broker, and log a traceback when it cannot be reached."""


_LINK = (
    "play", "confirm", "invitation", "join", "mute", "stop-orders", "never", "account", "digest", "substitute",
    "takeover", "address",
)  # fmt: skip
"""The paths of links with a token: after each comes its token. Features have more."""
_COMPARED = r"[?&]mail="
"""In the address of a page that compares what somebody typed: it may be their lucky word."""
_ROW = re.compile(r"(DETAIL:\s+).*?(?=\n\n|\n\[SQL|\Z)", re.DOTALL)
"""What PostgreSQL says of a row that it refuses: the row itself, which may hold an address, a name or a hand."""
_LOCAL = r"[\w.!#$%'*+^`{|}~-]"
"""The characters before the @ of an address, without those that separate the parts of a URL."""
_ADDRESS = re.compile(
    rf"(?:\"[^\"\r\n]{{1,64}}\"|(?<!{_LOCAL}){_LOCAL}+)(?:@|%(?:25)*40)(?:[\w-]+(?:\.[\w-]+)*|\[[\w.:]+\])"
)
"""A mail address, also a local one or one that is escaped in a query. The search begins only at the start of a word, so
that a long line without an address takes no long time."""
_PLAIN = logging.Formatter()


@cache
def pattern_of_secrets() -> re.Pattern[str]:
    """Returns what finds the tokens and secrets in a text, with what comes before each as its only group.

    A feature has `LINKS`, which are paths, and `SECRETS`, which are patterns like these, in a module `claims`.
    """
    theirs = (link for links in attributes_of_features("claims", "LINKS", packages_of_features()) for link in links)
    links = "|".join(map(re.escape, (*_LINK, *theirs)))
    secrets = (
        secret for secrets in attributes_of_features("claims", "SECRETS", packages_of_features()) for secret in secrets
    )
    own = rf"(/(?:{links})/)(?!<)[^/?#\s]+", r"\b(pbem_pat\.)[\w+/=-]+", rf"({_COMPARED})[^&#\s\"'<>]+"
    return re.compile("|".join((*own, *secrets)))


def mask_secrets(path: str) -> str:
    """Returns the text without link tokens, personal tokens, lucky words, mail addresses, secrets of features, and the
    rows that the database refuses.

    >>> mask_secrets("/play/6f.0.1.c2VjcmV0/replay?step=3")
    '/play/***/replay?step=3'
    >>> mask_secrets("Authorization: Bearer pbem_pat.c2VjcmV0")
    'Authorization: Bearer pbem_pat.***'
    >>> mask_secrets("nobody is called bob@example.org")
    'nobody is called ***'
    """
    masked = pattern_of_secrets().sub(lambda found: f"{found[found.lastindex or 0]}***", path)
    if "DETAIL:" in masked:
        masked = _ROW.sub(r"\1***", masked)
    return _ADDRESS.sub("***", masked) if "@" in masked or "40" in masked else masked


def _mask_event(_logger: Any, _method: str, said: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Masks the event and its traceback: frameworks name the path of the request that failed."""
    for name, value in said.items():
        if isinstance(value, str):
            said[name] = mask_secrets(value)
    return said


class Masking(logging.Filter):
    """Masks the message and the traceback of every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Masks the record for all handlers."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError):  # the arguments do not fit; logging would print them as they are
            message = f"{record.msg} {record.args}"
        record.msg, record.args = mask_secrets(message), None
        if record.exc_info and not record.exc_text:
            record.exc_text = _PLAIN.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = mask_secrets(record.exc_text)
        return True


MASKING = Masking()


class AsJson(logging.Formatter):
    """Formats the standard library's log records like all other lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the record as one line of JSON."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
        said: dict[str, Any] = {"event": record.getMessage(), "logger": record.name}
        said |= {"level": record.levelname.lower(), "timestamp": moment}
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            said["exception"] = record.exc_text
        return json.dumps(said, ensure_ascii=False)


class Calm(logging.Filter):
    """Drops the traceback of records about an unreachable server or a dead process."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shortens the record to one line if a connection, a process or beat's schedule file was lost."""
        error = record.exc_info[1] if record.exc_info else None
        error = getattr(error, "exc", error)  # as billiard wraps what comes from another process
        known = _is_connection_error(error) or type(error).__name__ in _LOST or str(record.msg).startswith(_TORN)
        if record.name.split(".")[0] in _CONNECTIONS and error is not None and known:
            record.msg, record.args = f"{record.getMessage().partition(chr(10))[0]} ({type(error).__name__})", None
            record.exc_info, record.exc_text = None, None
        return True


def _is_connection_error(error: BaseException | None) -> bool:
    """True if the error, or what caused it, comes from a connection that broke or was never made."""
    while error is not None:
        module = type(error).__module__.split(".")[0]
        if isinstance(error, OSError) or (module in ("redis", "kombu", "amqp") and type(error).__name__ in _BROKEN):
            return True
        error = error.__cause__ or error.__context__
    return False


_BROKEN = {
    "ConnectionError", "TimeoutError", "BusyLoadingError", "OperationalError", "ReadOnlyError",
    "ResponseError", "ExecAbortError",  # what a broker on a full disk answers to all that it should keep
}  # fmt: skip
_LOST = {"WorkerLostError", "TimeLimitExceeded"}
_TORN = "Removing corrupted schedule file"
"""What beat logs when it was killed while writing its schedule, and creates it again."""


_one_at_a_time = threading.Lock()


class WholeLines:
    """Writes a line to standard output together with its end, so that no other process can write in between."""

    def __init__(self, *_: object) -> None:
        """Ignores the name of the module, which structlog passes."""

    def msg(self, line: str) -> None:
        """Writes the line."""
        # Where no line can be written, nobody can be told so; what it is about must not fail for that.
        with _one_at_a_time, suppress(OSError, ValueError):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    log = debug = info = warn = warning = error = exception = critical = fatal = failure = err = msg


def _line_as_json(said: Any, default: Callable[[Any], Any]) -> str:
    """Returns the line as JSON; `default` makes something of what is none."""
    try:
        return msgspec.json.encode(said, enc_hook=default).decode()
    except UnicodeEncodeError:  # what others sent may be no text: Python reads it with surrogates
        return json.dumps(said, default=default)


def configure_logging(*, as_json: bool, on_error: Callable[[str], None] | None = None) -> None:
    """Sets up structlog for this process: JSON lines for machines, or plain lines for a terminal.

    `on_error` is told the class of each exception that is logged with its traceback.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(AsJson() if as_json else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(Calm())
    handler.addFilter(MASKING)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])

    def tell(_logger: Any, _method: str, said: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        kind = sys.exc_info()[0]
        if on_error is not None and said.get("exc_info") and kind is not None:
            on_error(kind.__name__)
        return said

    shared: list[Any] = [
        tell,
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _mask_event,
    ]
    if as_json:
        last: list[Any] = [structlog.processors.JSONRenderer(_line_as_json)]
    else:
        last = [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=WholeLines,
        cache_logger_on_first_use=True,
    )
