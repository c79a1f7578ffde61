"""A wire for the client without a network, and the problems that it answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from email.message import Message
from io import BytesIO
from urllib.error import HTTPError
from urllib.request import Request

from tests.api.cast import Api

HERE = "http://localhost"


class Answer(BytesIO):
    """An answer in the form of urllib's."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        super().__init__(body)
        self.status = status
        self.headers = Message()
        for name, value in headers.items():
            self.headers[name] = value


class Wire:
    """Sends requests to an application, or to a substitute that a test puts in front of it."""

    def __init__(self, rest: Api, between: Callable[[], object] = lambda: None) -> None:
        self._client = rest.app.test_client()
        self._between = between
        self.first: list[Answer | OSError] = []
        self.lost_answers = 0
        self.lost_method: str | None = None  # if given, only answers to it are lost
        self.seen: list[Request] = []
        self.answers: list[tuple[int, int]] = []

    def open(self, request: Request, data: None = None, timeout: float = 0) -> Answer:
        """The answer; raises HTTPError for statuses from 300 on, as urllib does."""
        self.seen.append(request)
        self._between()
        answer = self.first.pop(0) if self.first else self._ask(request)
        if isinstance(answer, OSError):
            raise answer
        if self.lost_answers and self.lost_method in (None, request.get_method()):
            self.lost_answers -= 1
            raise ConnectionResetError
        self.answers.append((answer.status, len(answer.getbuffer())))
        if answer.status >= 300:
            raise HTTPError(request.full_url, answer.status, "", answer.headers, answer)
        return answer

    def _ask(self, request: Request) -> Answer:
        where = request.full_url.removeprefix(HERE)
        told = self._client.open(
            where, method=request.get_method(), data=request.data, headers=dict(request.header_items())
        )
        return Answer(told.status_code, dict(told.headers), told.data)


def problem_answer(status: int, code: str, **headers: str) -> Answer:
    """A refusal."""
    return Answer(status, headers, json.dumps({"status": status, "code": code, "detail": "No."}).encode())
