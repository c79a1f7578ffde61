"""A client of the API in one module. It needs the standard library alone: copy this file to wherever you play from.

    from pbem.client import Pbem

    match = Pbem("http://127.0.0.1:8000", token).match(match_id)
    for question in match.questions():
        match.play(question, question["legal"][0])

A request to a busy site is retried after `Retry-After`, but not one about a match whose game is unavailable. A request
without an answer is sent again: a move's key, and the Idempotency-Key of requests that create something, make sure that
it is done once. ETags are kept, so unchanged answers are not sent twice. Every other refusal is raised as `Refused`,
with its stable `code`. Leaving a circle counts as done if it was sent again and the circle is not found any more.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

Json = dict[str, Any]

PATIENCE_S = 60.0
"""So long it waits in all for one answer."""

_AGAIN = (429, 503)
_ENDED = ("over", "cancelled")
_WAIT_S = 50
_PAUSE_S = 2.0
_AGAIN_S = 1.0
_TIMEOUT_S = 60.0
_KEPT = 64


class Refused(Exception):
    """The site has refused a request. `code` is stable; `detail` is for people; `body` is the whole answer.

    `again`: the request had been sent before, and may have been done, but that answer did not arrive.
    """

    def __init__(self, status: int, body: Json, again: bool = False) -> None:
        self.status = status
        self.again = again
        self.body = body
        self.code = str(body.get("code", ""))
        self.detail = str(body.get("detail", ""))
        super().__init__(f"{status} {self.code}: {self.detail}")


class Opener(Protocol):
    """Sends a request, like `urllib.request.OpenerDirector`: raises HTTPError for a status of 300 and above."""

    def open(self, request: urllib.request.Request, data: None = None, timeout: float = ...) -> Any:
        """Returns the answer, with `status`, `headers` and `read()`."""


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for this site alone."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Pbem:
    """A site, as the holder of a token sees it, or a spectator."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        language: str = "en",
        opener: Opener | None = None,
        sleep: Callable[[float], None] = time.sleep,
        patience: float = PATIENCE_S,
    ) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError("the address of a site begins with http:// or https://")
        self._root = url.rstrip("/") + "/api/v1"
        self._headers = {"Accept-Language": language, "User-Agent": "pbem-client"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._opener: Opener = opener or urllib.request.build_opener(_Straight)
        self._sleep, self._patience = sleep, patience
        self._known: OrderedDict[str, tuple[str, Any]] = OrderedDict()
        self.pause = 0.0
        """How long the last answer asks to wait before the next request."""

    def games(self) -> list[Json]:
        """Returns the games that can be played."""
        found: list[Json] = self.get("/games")["games"]
        return found

    def game(self, slug: str) -> Json:
        """Returns one game: its questions, endings, refusals and schemas."""
        return self.get(f"/games/{quote(slug, safe='')}")

    def create(self, game: str, seats: Sequence[Mapping[str, Any]], *, key: str | None = None, **more: Any) -> Match:
        """Creates a match. A repeated `key` returns the same match; without a key each call creates another."""
        body = {"game": game, "seats": list(seats), **more}
        return self.match(self.make("/matches", body, key)["id"])

    def matches(self, **wanted: str) -> Iterator[Json]:
        """Yields the matches of the token's player, newest first; `status`, `game`, `turn` and `seat` filter them."""
        after: str | None = None
        while True:
            page = self.get("/me/matches", wanted | ({"after": after} if after else {}))
            yield from page["matches"]
            after = page["next"]
            if after is None:
                return

    def follow(self) -> Iterator[Json]:
        """Yields how each match of the token's player stands, and again whenever that has changed, without end.

        `ask` is what the player is asked. A match that is theirs no longer comes as `{"id": …, "gone": true}`, even if
        it went while the connection was down. Raises Refused, OSError.
        """
        told: dict[str, Json] = {}
        last, left = "", self._patience
        while True:
            named: set[str] = set()
            try:
                for event, data, known in self._messages_of_stream("/me/stream", last):
                    last, left = known, self._patience
                    match = data | {"gone": True} if event == "gone" else data
                    if event in ("match", "gone"):
                        named.add(match["id"])
                        if told.get(match["id"]) != match:
                            told[match["id"]] = match
                            yield match
                    elif event == "current":
                        yield from _pop_gone_matches(told, named.union(data["matches"]))
            except Refused as refused:
                if not _may_soon_pass(refused) or left <= 0:
                    raise
            except (OSError, http.client.HTTPException):
                if left <= 0:
                    raise
            wait = max(self.pause, _AGAIN_S)
            left -= wait
            self._sleep(wait)

    def match(self, match_id: str) -> Match:
        """Returns the match with this id, without a request."""
        return Match(self, match_id)

    def found_league(self, name: str, game: str, *, key: str | None = None, **more: Any) -> Json:
        """Founds a league with its first season, and returns it. A repeated `key` founds it once."""
        return self.make("/leagues", {"name": name, "game": game, **more}, key)

    def season(self, season_id: str) -> Season:
        """Returns the season with this id, without a request."""
        return Season(self, season_id)

    def circles(self) -> list[Json]:
        """Returns the circles of the token's player, and those that invite them (`status`)."""
        found: list[Json] = self.get("/circles")["circles"]
        return found

    def circle(self, circle_id: str) -> Circle:
        """Returns the circle with this id, without a request."""
        return Circle(self, circle_id)

    def found_circle(self, title: str, name: str, *, key: str | None = None) -> Circle:
        """Founds a circle, in which the token's player is called `name`. A repeated `key` founds it once."""
        return self.circle(self.make("/circles", {"title": title, "name": name}, key)["id"])

    def join_circle(self, link: str, name: str) -> Circle:
        """Joins the circle of an invitation link, given as it is or by its token. A member stays one."""
        token = quote(link.rstrip("/").rpartition("/")[2], safe="")
        try:
            joined = self.send("POST", f"/circle-links/{token}", {"name": name})
        except Refused as refused:
            if refused.status != 404:
                raise
            joined = self.send("POST", f"/circles/join/{token}", {"name": name})  # the address of older sites
        return self.circle(joined["id"])

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Json:
        """Returns the resource at a path below /api/v1, from the cache if its ETag has not changed."""
        where = f"{path}?{urlencode(query)}" if query else path
        known = self._known.get(where)
        status, headers, body = self._ask("GET", where, None, {"If-None-Match": known[0]} if known else {})
        if status == 304 and known:
            self._known.move_to_end(where)
            body = known[1]
        elif tag := headers.get("ETag"):
            self._known[where] = (tag, body)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        found: Json = json.loads(body)
        return found

    def send(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Json:
        """Sends this body and returns the answer; {} for an empty one."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if data is not None else {}
        _, _, answered = self._ask(method, path, data, sent | dict(headers or {}))
        found: Json = json.loads(answered) if answered else {}
        return found

    def make(self, path: str, body: Json, key: str | None = None) -> Json:
        """Sends what makes something, and returns the answer. A repeated `key` makes it once."""
        return self.send("POST", path, body, {"Idempotency-Key": key or uuid.uuid4().hex})

    def _ask(
        self, method: str, where: str, data: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Sends the request until it is answered or patience runs out. Raises Refused, OSError."""
        left, pause, again = self._patience, 0.5, False
        while True:
            sent = self._headers | dict(headers)
            request = urllib.request.Request(self._root + where, data, sent, method=method)  # noqa: S310  # looked at
            try:
                status, answer_headers, body = self._send_once(request)
            except (OSError, http.client.HTTPException):
                # Repeating is safe: see the beginning of this module.
                if left < pause:
                    raise
                wait, pause, again = pause, pause * 2, True
            else:
                self.pause = _seconds_to_wait(answer_headers)
                if status < 300 or status == 304:
                    return status, answer_headers, body
                wait = self.pause or _PAUSE_S
                refused = Refused(status, _problem_in_body(body), again)
                if not _may_soon_pass(refused) or wait > left:
                    raise refused
            self._sleep(wait)
            left -= wait

    def _send_once(self, request: urllib.request.Request) -> tuple[int, Mapping[str, str], bytes]:
        try:
            answer = self._opener.open(request, timeout=_TIMEOUT_S)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            return int(answer.status), answer.headers, answer.read()

    def _messages_of_stream(self, path: str, last: str) -> Iterator[tuple[str, Json, str]]:
        """Yields the messages of a stream until it ends: name, data, and the last id. Raises Refused, OSError."""
        sent = self._headers | ({"Last-Event-ID": last} if last else {})
        try:
            answer = self._opener.open(urllib.request.Request(self._root + path, None, sent), timeout=_TIMEOUT_S)  # noqa: S310
        except urllib.error.HTTPError as refused:
            with refused:
                headers: Any = refused.headers
                self.pause = _seconds_to_wait(headers)
                raise Refused(refused.code, _problem_in_body(refused.read())) from None
        self.pause = 0.0
        with answer:
            fields: dict[str, str] = {}
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    fields[name] = value
                elif "event" in fields:  # an empty line ends a message; one that begins with a colon says nothing
                    last = fields.get("id", last)
                    yield fields["event"], json.loads(fields["data"]), last
                    fields = {}


class _Thing:
    """Something of a site, as the holder of the token sees it."""

    _paths: str
    """The path of all things of its kind."""

    def __init__(self, site: Pbem, thing_id: str) -> None:
        self.id = thing_id
        self._site = site
        self._path = f"{self._paths}/{quote(thing_id, safe='')}"

    def _post_once(self, what: str, body: Json, key: str | None) -> Json:
        return self._site.make(f"{self._path}/{what}", body, key)


class Season(_Thing):
    """A season of a league, as the holder of the token sees it: an entrant, its organiser, or anybody."""

    _paths = "/seasons"

    def sheet(self) -> Json:
        """Status, terms, dates, and the standings of each division."""
        return self._site.get(self._path)

    def entrants(self) -> Iterator[Json]:
        """Yields who plays, as they came."""
        after: int | None = 0
        while after is not None:
            page = self._site.get(f"{self._path}/entrants", {"after": after})
            yield from page["entrants"]
            after = page["next"]

    def enter(self, name: str) -> Json:
        """Enters the token's player under this name; returns their entrant."""
        entrant: Json = self._post_once("entrants", {"name": name}, None)["entrants"][0]
        return entrant

    def invite(self, people: Sequence[Mapping[str, str]], *, key: str | None = None) -> int:
        """Invites people by `name` and `email`, for the organiser; returns how many. Each has to say yes."""
        invited: int = self._post_once("entrants", {"people": list(people)}, key)["invited"]
        return invited

    def start(self) -> Json:
        """Starts the season before its date, for its organiser."""
        return self._site.send("POST", f"{self._path}/start", {})

    def pair(self, tables: Sequence[Sequence[int]], *, key: str | None = None, **more: Any) -> list[Json]:
        """Makes these matches, each given by its entrants in seat order, all or none, for an organiser who pairs."""
        body = {"matches": [{"seats": [*seats]} for seats in tables], **more}
        made: list[Json] = self._post_once("matches", body, key)["matches"]
        return made

    def results(self, after: int = 0) -> Json:
        """A page of the results above `after`; its `cursor` is the `after` of what follows, also later."""
        return self._site.get(f"{self._path}/results", {"after": after})

    def close(self) -> Json:
        """Ends the season before its date, for its organiser."""
        return self._site.send("POST", f"{self._path}/close", {})


class Circle(_Thing):
    """A circle, as the holder of the token sees it: a member, or somebody who is invited."""

    _paths = "/circles"

    def sheet(self) -> Json:
        """Members, standing tables, the matches that go on, and `join_url`, the link by which others join."""
        return self._site.get(self._path)

    def standings(self) -> list[Json]:
        """Returns the standings of the circle, game by game, each best first."""
        found: list[Json] = self._site.get(f"{self._path}/standings")["games"]
        return found

    def change(self, **changes: Any) -> Json:
        """Renames the circle (`title`), or opens or closes its page (`open`), for its founder; returns its sheet."""
        return self._site.send("PATCH", self._path, changes)

    def renew_link(self) -> str:
        """Replaces the invitation link, for the founder; returns the new one."""
        link: str = self._site.send("POST", f"{self._path}/link", {})["join_url"]
        return link

    def invite(self, email: str, name: str | None = None) -> None:
        """Invites somebody by mail; without a name they choose their own. Nobody is invited twice."""
        named = {"name": name} if name is not None else {}
        self._site.send("POST", f"{self._path}/invitations", {"email": email, **named})

    def accept(self, name: str) -> Json:
        """Accepts the invitation under this name; returns the circle's sheet. A member stays one."""
        return self._site.send("POST", f"{self._path}/accept", {"name": name})

    def decline(self) -> None:
        """Declines the invitation."""
        self._end_in_circle("POST", "decline")

    def leave(self) -> None:
        """Leaves the circle. If the founder leaves, the longest member follows them."""
        self._end_in_circle("DELETE", f"members/{self.sheet()['member']}")

    def remove(self, member: str | int) -> None:
        """Removes a member, given by name or id, for the founder."""
        (member_id,) = self._ids([member])
        self._end_in_circle("DELETE", f"members/{member_id}")

    def change_membership(self, **changes: bool) -> Json:
        """Stops the circle's mails to the player (`muted`), or shows strangers their name (`listed`)."""
        return self._site.send("PATCH", f"{self._path}/me", changes)

    def start(self, game: str, members: Sequence[str | int], *, key: str | None = None, **more: Any) -> Match:
        """Starts a match with these members, given by name or id in seat order; the first seat is the player's own.

        A repeated `key` returns the same match. Raises ValueError if nobody has that name.
        """
        body = {"game": game, "members": self._ids(members), **more}
        return self._site.match(self._post_once("matches", body, key)["id"])

    def set_up_table(
        self, game: str, weekday: int, hour: int, zone: str, *, key: str | None = None, **more: Any
    ) -> Json:
        """Sets up a table that meets every week, on Mondays for weekday 0. A repeated `key` sets it up once."""
        body = {"game": game, "weekday": weekday, "hour": hour, "zone": zone, **more}
        return self._post_once("tables", body, key)

    def answer_table(self, table_id: int, yes: bool = True) -> Json:
        """Says whether the player plays this week, while the table's `asking` is true; returns the table."""
        return self._site.send("PUT", f"{self._path}/tables/{table_id}/answer", {"yes": yes})

    def stop_table(self, table_id: int) -> None:
        """Stops a standing table, for the founder and the member who set it up; matches that have begun go on."""
        self._end_in_circle("DELETE", f"tables/{table_id}")

    def _end_in_circle(self, method: str, what: str) -> None:
        """Sends what ends something in the circle, which is not found from then on. Raises Refused, OSError."""
        try:
            self._site.send(method, f"{self._path}/{what}", {} if method == "POST" else None)
        except Refused as refused:
            if not (refused.again and refused.status == 404):
                raise

    def _ids(self, members: Sequence[str | int]) -> list[int]:
        """Returns the ids of members given by name or id. Raises ValueError."""
        names = [one for one in members if isinstance(one, str)]
        ids: dict[str, int] = {one["name"]: one["id"] for one in self.sheet()["members"]} if names else {}
        if unknown := [name for name in names if name not in ids]:
            raise ValueError(f"nobody in the circle is called {', '.join(unknown)}")
        return [ids[one] if isinstance(one, str) else one for one in members]


def _pop_gone_matches(told: dict[str, Json], here: Collection[str]) -> Iterator[Json]:
    """Forgets the matches that are not here, and yields that those are gone whose end has not been told.

    A match that has ended is here if this stream has told it: the next one may tell it once more.
    """
    for match_id in sorted(told.keys() - here):
        match = told.pop(match_id)
        if not match.get("gone") and match["status"] not in _ENDED:
            yield {"id": match_id, "gone": True}


class Match(_Thing):
    """One match, as the holder of the token sees it."""

    _paths = "/matches"

    def sheet(self) -> Json:
        """Status, seats, who is asked until when, how it ended."""
        return self._site.get(self._path)

    def state(self) -> Any:
        """Returns the position as the caller knows it; None before the match begins."""
        return self._site.get(f"{self._path}/state")["state"]

    def events(self, after: int = 0, wait: int = 0) -> Json:
        """`version` and the `events` above `after`; with `wait` the site answers when there are some, or time is up."""
        waited = {"wait": wait} if wait else {}
        return self._site.get(f"{self._path}/events", {"after": after, **waited})

    def ask(self, **which: Any) -> Json:
        """Returns the open question of the caller's seat, under `ask`, and a page of the `legal` moves."""
        return self._site.get(f"{self._path}/ask", which)

    def play(
        self,
        question: Mapping[str, Any] | str,
        move: Mapping[str, Any] | str,
        *then: Mapping[str, Any] | str,
        orders: Sequence[str] | None = None,
    ) -> Json:
        """Answers a question, which `ask` gave (or its key), by one of its `legal` moves, a move, or its text.

        `then` are the answers to the questions that follow in the same sitting; the receipt's `answers` say what has
        become of each. `orders` replaces the orders of the seat, as they are made after the move. In a silent window
        the move replaces the answer that the question says is sealed, and no other; with its key alone, any.
        """
        parts = [_answer_body(question, move), *(_move_as_body(one) for one in then)]
        body: Json = {"answers": parts} if then else parts[0]
        if orders is not None:
            body = {**body, "orders": [*orders]}
        if not isinstance(question, str) and question["ask"].get("silent"):
            body = {**body, "instead": (question["ask"]["sealed"] or {"text": ""})["text"]}
        return self._site.send("POST", f"{self._path}/moves", body)

    def orders(self) -> Json:
        """Returns the `orders` of the caller's seat as they stand, and the `news` of what they have done."""
        return self._site.get(f"{self._path}/orders")

    def order(self, version: int, orders: Sequence[str]) -> Json:
        """Puts these orders, made at that version, in the place of all that the seat has; none stops them."""
        return self._site.send("PUT", f"{self._path}/orders", {"version": version, "orders": [*orders]})

    def stop_orders(self) -> None:
        """Stops all orders of the seat, whatever the version."""
        self._site.send("DELETE", f"{self._path}/orders")

    def preview(self, question: Mapping[str, Any] | str, move: Mapping[str, Any] | str) -> Json:
        """Returns what the move would do, as far as the caller can know; nothing is played."""
        return self._site.send("POST", f"{self._path}/preview", _answer_body(question, move))

    def takeback(self) -> Json:
        """Returns what the caller can take back: its `state`, and `to`, the entry that it goes back to."""
        return self._site.get(f"{self._path}/takeback")

    def take_back(self, to: int) -> Json:
        """Takes back the caller's latest move if it is free, or asks the others to agree. `to`: as in the receipt."""
        return self._site.send("POST", f"{self._path}/takeback", {"to": to})

    def consent(self, to: int, agree: bool = True) -> Json:
        """Agrees to the open request in the match's sheet, or declines it."""
        return self._site.send("POST", f"{self._path}/takeback/consent", {"to": to, "agree": agree})

    def say(self, text: str) -> Json:
        """Says something to the table."""
        return self._post_once("messages", {"text": text}, None)

    def log(self) -> Json:
        """Returns the portable log; with all secrets once the match is over."""
        return self._site.get(f"{self._path}/log")

    def analysis(self) -> Json:
        """Returns where the match was decided, once it is over: has it analysed, and waits until that is done."""
        self._site.send("POST", f"{self._path}/analysis")
        while (found := self._site.get(f"{self._path}/analysis"))["state"] != "made":
            self._wait_before_next(True)
        return found

    def is_over(self) -> bool:
        """True if nothing more will happen."""
        return self.sheet()["status"] in ("over", "cancelled")

    def follow(self, after: int = 0) -> Iterator[Json]:
        """Yields the entries of the log as they come, until the match is over."""
        while True:
            over = self.is_over()  # looked at before the events, so that the last ones are not missed
            found = self.events(after, 0 if over else _WAIT_S)
            yield from found["events"]
            if over:
                return
            self._wait_before_next(found["version"] == after)
            after = found["version"]

    def questions(self) -> Iterator[Json]:
        """Yields each question to the caller's seat with its legal moves, until the match is over.

        A question of a silent window is yielded until it is answered, not until the window closes.
        """
        while True:
            question = self.ask()
            if question["ask"] and not question["ask"].get("sealed"):
                yield question
            elif self.is_over():
                return
            else:
                news = self.events(question["version"], _WAIT_S)
                self._wait_before_next(news["version"] == question["version"])

    def _wait_before_next(self, nothing_new: bool) -> None:
        """Waits as long as the site asks for, where it did not want to hold the request."""
        if nothing_new and self._site.pause:
            self._site._sleep(self._site.pause)


def _answer_body(question: Mapping[str, Any] | str, move: Mapping[str, Any] | str) -> Json:
    return {"key": question if isinstance(question, str) else question["ask"]["key"], **_move_as_body(move)}


def _move_as_body(move: Mapping[str, Any] | str) -> Json:
    if isinstance(move, str):
        return {"text": move}
    return {"move": move["move"] if "label" in move else dict(move)}


def _seconds_to_wait(headers: Mapping[str, str]) -> float:
    said = headers.get("Retry-After") or "0"
    return float(said) if said.isascii() and said.isdigit() else _PAUSE_S


def _may_soon_pass(refused: Refused) -> bool:
    """True if the same request may soon be answered; a game that is unavailable may be so for days."""
    return refused.status in _AGAIN and refused.code != "game_unavailable"


def _problem_in_body(body: bytes) -> Json:
    """Returns the body of a refusal; one that is no JSON object, as from a proxy, becomes its `detail`."""
    try:
        found = json.loads(body)
    except ValueError:
        return {"detail": body[:200].decode(errors="replace")}
    return found if isinstance(found, dict) else {"detail": str(found)[:200]}
