"""Plays a match to its end with the client that `openapi-generator` has made: arguments as in `test_clients`."""

from __future__ import annotations

import sys

folder, url, match_id, *tokens = sys.argv[1:]
sys.path.insert(0, folder)

import pbem_generated as made  # type: ignore[import-not-found]  # noqa: E402  # generated

clients = [made.ApiClient(made.Configuration(host=url, access_token=token)) for token in tokens]
matches, seats = made.MatchesApi(clients[0]), [made.PlayingApi(client) for client in clients]
while (sheet := matches.get_match(match_id).actual_instance).status == "running":
    seat = seats[sheet.asks[0].seat]
    question = seat.get_question(match_id).actual_instance
    answer = made.Answer.from_dict({"key": question.ask.key, "text": question.legal[0].text})
    answered = seat.answer_question(match_id, answer).actual_instance
    assert answered.answers[0].outcome == "played", answered
sys.stdout.write(f"{sheet.status.value} {sheet.outcome.reason}\n")
