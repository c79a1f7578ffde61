"""Plays a match to its end with the client that `openapi-python-client` has made: arguments as in `test_clients`."""

from __future__ import annotations

import sys

folder, url, match_id, *tokens = sys.argv[1:]
sys.path.insert(0, folder)

from pbem_client import AuthenticatedClient  # type: ignore[import-not-found]  # noqa: E402  # generated
from pbem_client.api.matches import get_match  # type: ignore[import-not-found]  # noqa: E402
from pbem_client.api.playing import (  # type: ignore[import-not-found]  # noqa: E402
    answer_question,
    get_question,
)
from pbem_client.models import Answer  # type: ignore[import-not-found]  # noqa: E402

seats = [AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True) for token in tokens]
while (sheet := get_match.sync(match_id, client=seats[0])).status == "running":
    client = seats[sheet.asks[0].seat]
    question = get_question.sync(match_id, client=client)
    answered = answer_question.sync(
        match_id, client=client, body=Answer(key=question.ask.key, move=question.legal[0].move)
    )
    assert answered.answers[0].outcome == "played", answered
sys.stdout.write(f"{sheet.status} {sheet.outcome.reason}\n")
