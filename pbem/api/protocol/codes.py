"""Every code of a problem: what it means, and what a program does about it; for the OpenAPI document and its pages."""

from collections.abc import Iterator
from typing import Any

from pbem.errors import Problem

ADVICE = {
    "malformed": "Send well-formed JSON in UTF-8, not nested too deeply.",
    "duplicate_field": "Give each name once in an object: `duplicate` says which stands twice.",
    "unauthorized": "Send a token that is valid now.",
    "forbidden": "Use a token of this match: this one is for something else.",
    "insufficient_scope": "Make a token with the scope that `needs` names.",
    "not_found": "Look at the address: there is no such match, game or thing, or it is private.",
    "method_not_allowed": "Use a method that the header `Allow` names.",
    "stale": "Look at `ask`, the question that is open now, and answer that.",
    "answered": "Look at `ask`: this question has another answer, which stays.",
    "gone": "Do nothing: the match has not begun, is over or was called off, or what was made is not there any more.",
    "not_offered": "Do without: the host of this site has switched it off.",
    "not_over": "Wait until the match is over; a match that was called off has none.",
    "changed": "Get it again, look whether the change still makes sense, and send that with the new `ETag`.",
    "too_large": "Send a smaller body.",
    "not_json": "Send `Content-Type: application/json`.",
    "invalid": "Correct the fields that `fields` names.",
    "unreadable": "Look at the legal moves: this is none of the game's.",
    "illegal": "Choose another move: `rule` and `reason` say why this one is refused.",
    "key_reused": "Draw a new Idempotency-Key for each new thing; repeat one only with the very same request.",
    "unlinkable": "Give another address, one that everybody on the internet can reach.",
    "precondition_required": "Get it first, and send its `ETag` as `If-Match`.",
    "too_many": "Wait as long as `Retry-After` says.",
    "too_many_open": "Play a match to its end, or resign from one you did not start: see `open_matches` of `GET /me`.",
    "internal": "Tell the host the `request_id`; nothing is known to have changed.",
    "busy": "Send the same again after `Retry-After`.",
    "unavailable": "Send the same again after `Retry-After`.",
    "outdated": "Send the same again after `Retry-After`: a newer server takes over.",
    "undrawable": "Do without the picture, or ask again after `Retry-After`.",
    "game_unavailable": "Wait: `unavailable` of `GET /games` says why. No clock runs in its matches.",
}


def codes() -> list[dict[str, Any]]:
    """Returns the codes by status, each with what it means and what to do."""
    found: dict[str, dict[str, Any]] = {}
    for kind in _kinds(Problem):
        told = {"status": kind.status, "code": kind.code, "means": _means(kind), "do": ADVICE[kind.code]}
        found.setdefault(kind.code, told)
    return sorted(found.values(), key=lambda told: (told["status"], told["code"]))


def _kinds(kind: type[Problem]) -> Iterator[type[Problem]]:
    for inner in kind.__subclasses__():
        if inner.__module__.startswith("pbem."):
            yield inner
            yield from _kinds(inner)


def _means(kind: type[Problem]) -> str:
    first, _, _ = (kind.__doc__ or "").strip().partition("\n")
    return first.partition(";")[0].rstrip(".") + "."
