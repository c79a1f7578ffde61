"""After a whole match, with every failure once: no log, no task, no key of the broker holds an address or token.

The real processes run on a real PostgreSQL and Redis, as the Procfile starts them. All commands to Redis are
recorded, so that a task's arguments are seen even long after it is done. Error reports are log lines here:
nothing else reports errors.
"""

from __future__ import annotations

import re
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
import redis

from tests.harness.waiting import SECONDS, wait_until
from tests.production.people import People, address_of, tokens_in
from tests.production.plays import plays_well, rows_of_statement
from tests.production.sink import free_port, links_in_mail
from tests.production.topology import Answer, Service, send_request

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

NEW = "alicia@example.net"
STRANGER = "mallory@example.com"


def found_in(said: Mapping[str, str], secrets: set[str]) -> list[str]:
    """Returns where each secret occurs, cut so that no test report holds all of it."""
    return [f"{secret[:12]}… in {where}" for where, text in said.items() for secret in secrets if secret in text]


@contextmanager
def redis_commands(url: str) -> Iterator[list[str]]:
    """Yields all commands that Redis receives during the block."""
    heard: list[str] = []
    with redis.Redis.from_url(url, socket_timeout=None) as client, client.monitor() as monitor:

        def listen() -> None:
            try:
                for command in monitor.listen():
                    heard.append(str(command["command"]))
            except (redis.ConnectionError, ValueError, OSError):
                return  # it has been closed

        threading.Thread(target=listen, daemon=True).start()
        yield heard


def values_in(url: str) -> str:
    """Returns every key of Redis with its value, of any type."""
    readers: dict[str, Callable[[Any, bytes], Any]] = {
        "string": lambda client, key: client.get(key),
        "list": lambda client, key: client.lrange(key, 0, -1),
        "set": lambda client, key: client.smembers(key),
        "zset": lambda client, key: client.zrange(key, 0, -1, withscores=True),
        "hash": lambda client, key: client.hgetall(key),
    }
    with redis.Redis.from_url(url) as client:
        return "\n".join(f"{key!r} {readers[client.type(key).decode()](client, key)!r}" for key in client.scan_iter())


def sql(service: Service, *statements: str) -> None:
    with psycopg.connect(service.database_url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def account_token(service: Service, address: str) -> str:
    """Returns the token that signs somebody in, from a mail requested now."""
    before = len(service.sink.to(address))
    send_request(f"{service.url}/links", form={"address": address})

    def found() -> list[str]:
        return [link for mail in service.sink.to(address)[before:] for link in links_in_mail(mail, "account")]

    wait_until(found, "the mail with the links")
    return found()[-1].rpartition("/")[2]


def secrets_of_programs(service: Service, account: str) -> set[str]:
    """Makes a personal token and webhooks of the account; returns everything that nobody else may learn of them.

    Nobody listens at the first webhook's address, so its calls fail; the second is made too late for any call.
    """
    bearer = f"Bearer {account}"

    def post(path: str, body: Any) -> Any:
        answer = send_request(f"{service.url}/api/v1{path}", body, Authorization=bearer)
        assert answer.status == 201, answer.text
        return answer.json

    token = post("/me/tokens", {"name": "Bot", "scopes": ["read", "play", "create"], "days": 1})["token"]
    here = f"http://127.0.0.1:{free_port()}/in/9f8e7d6c5b4a"
    hook = post("/me/webhooks", {"url": here, "kinds": ["your_turn", "moved", "over"]})
    chat = {
        "url": "https://discord.com/api/webhooks/1234567/s3cr3tOfTheChannel",
        "kinds": ["over"],
        "preset": "discord",
    }
    silent = post("/me/webhooks", chat)
    gone = ask_to_end(f"{service.url}/api/v1/me/webhooks/{silent['id']}", bearer)
    assert gone == 204, gone
    return {token, hook["secret"], "9f8e7d6c5b4a", "s3cr3tOfTheChannel"}


def ask_to_end(url: str, bearer: str) -> int:
    """Returns the status of the answer to a DELETE."""
    headers = {"Authorization": bearer, "If-Match": "*"}
    with urllib.request.urlopen(
        urllib.request.Request(url, method="DELETE", headers=headers), timeout=SECONDS
    ) as answer:
        return int(answer.status)


def everything_fails(service: Service, people: People, account: str, token: str, change: str) -> list[Answer]:
    """Calls the pages, the API and the worker while the table of the players is away, or refuses a row."""
    play, api = people.tokens[0], f"{service.url}/api/v1"
    sql(service, "ALTER TABLE players RENAME TO gone", "UPDATE outbox SET done_at = NULL, claimed_until = NULL")
    assert send_request(f"{service.url}/links", form={"address": STRANGER}).status == 200, "the worker looks it up"
    answers = [
        send_request(f"{service.url}/play/{play}"),
        send_request(f"{service.url}/play/{play}/mail", form={}),
        send_request(f"{service.url}/address/{change}", form={"answer": "yes"}),
        send_request(f"{service.url}/account/{account}", form={}),
        send_request(f"{api}/matches/{people.match_id}/ask", Authorization=f"Bearer {play}"),
        send_request(f"{api}/matches/{people.match_id}/ask", Authorization=f"Bearer {token}"),
        send_request(f"{api}/me/address", {"email": STRANGER}, Authorization=f"Bearer {account}"),
        send_request(f"{api}/address/{change}", {}),
    ]
    wait_until(lambda: service.everything_said().count("mail.unrendered") > 2, "the worker has met it, too")
    sql(
        service, "ALTER TABLE gone RENAME TO players",
        f"ALTER TABLE players ADD CONSTRAINT broken CHECK (canonical <> '{STRANGER}')",
    )  # fmt: skip
    seats = [{"name": "Mallory", "email": STRANGER}, *({"bot": "random"} for _ in range(2))]
    answers.append(send_request(f"{api}/matches", {"game": "hogen", "seats": seats}))
    sql(service, "ALTER TABLE players DROP CONSTRAINT broken", "UPDATE outbox SET done_at = now(), result = 'stale'")
    return answers


@pytest.mark.long
def test_playing_leaves_no_address_or_token_in_logs_tasks_or_broker_keys(
    bare: Service,
) -> None:
    bare.settings["PBEM_WEBHOOKS_PRIVATE"] = "1"
    accounts, secrets = list[str](), set[str]()

    def use_an_account(people: People) -> None:
        accounts.append(account_token(bare, address_of(people.names[0])))
        secrets.update({accounts[0], *secrets_of_programs(bare, accounts[0])})

    with redis_commands(bare.broker.url) as heard:
        first, started = plays_well(bare, "hogen", use_an_account)
        tables = [first, People(bare, names=("Dave", "Erin"), bots=("random",))]
        tables[1].sit_down()
        (account,) = accounts
        token = next(secret for secret in secrets if secret.startswith("pbem_pat."))
        wait_until(
            lambda: rows_of_statement(bare, "SELECT 1 FROM deliveries WHERE attempts > 0"),
            "a webhook is called in vain",
        )
        asked = send_request(f"{bare.url}/api/v1/me/address", {"email": NEW}, Authorization=f"Bearer {account}")
        assert asked.status == 202, asked.text
        wait_until(
            lambda: [link for mail in bare.sink.to(NEW) for link in links_in_mail(mail, "address")], "the new mailbox"
        )
        change = links_in_mail(bare.sink.to(NEW)[0], "address")[0].rpartition("/")[2]
        failed = everything_fails(bare, first, account, token, change)
        assert [answer.status for answer in failed] == [500] * len(failed), [answer.url for answer in failed]
        bare.close(*started)
    said = {
        "a log": bare.everything_said(),
        "a command to Redis": "\n".join(heard),
        "a key of Redis": values_in(bare.broker.url),
        # A page may name its own address, which the reader has; answers to programs name nothing.
        "a problem": "\n".join(answer.text for answer in failed if answer.text.startswith("{")),
    }
    secrets |= {address_of(name) for people in tables for name in people.names} | {NEW, STRANGER, change}
    secrets |= tokens_in(bare.sink.got) | {token for people in tables for token in people.tokens.values()}
    assert len(secrets) > 20
    assert said["a log"].count("Traceback") > len(failed)
    assert "workers.tasks.drain" in said["a command to Redis"]
    assert found_in(said, secrets) == []
    assert not re.search(r"\b(Alice|Bob|Carol|Dave|Erin|Mallory)\b", said["a log"] + said["a command to Redis"])


def test_the_search_for_leaks_finds_a_planted_token() -> None:
    secret = "6f0a.1.0.c2VjcmV0c2VjcmV0"
    assert found_in({"a log": f"Exception on /play/{secret} [GET]", "a key": "nothing"}, {secret}) == [
        "6f0a.1.0.c2V… in a log"
    ]
    assert found_in({"a log": "nothing"}, {secret}) == []


def test_the_search_for_leaks_sees_every_redis_command(redis_url: str) -> None:
    with redis_commands(redis_url) as heard, redis.Redis.from_url(redis_url) as client:
        wait_until(
            lambda: client.rpush("celery", "a.token") and any("a.token" in said for said in heard), "it is heard"
        )
    assert "a.token" in values_in(redis_url)
