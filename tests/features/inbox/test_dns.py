"""TXT records: which one counts, and what it means that none comes."""

from __future__ import annotations

from typing import Any

import dns.exception
import dns.message
import dns.resolver
import pytest

from pbem.features.inbox.incoming.verdicts import DnsError
from pbem.features.inbox.judging import ALTOGETHER_S, LIFETIME_S, DnsResolver
from tests.harness.cases import cases


class Record:
    def __init__(self, *strings: bytes) -> None:
        self.strings = strings


class Server(dns.resolver.Resolver):
    """A resolver that answers what it was made with, and notes the questions."""

    def __init__(self, answer: list[Record] | Exception) -> None:
        super().__init__(configure=False)
        self.answer = answer
        self.asked: list[tuple[str, float]] = []

    def resolve(self, qname: Any, *_: Any, lifetime: Any = None, **more: Any) -> Any:
        self.asked.append((qname, lifetime))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_dns_lookup_has_a_time_limit() -> None:
    server = Server([Record(b"v=DKIM1; ", b"p=abc")])
    resolver = DnsResolver(server)
    assert resolver.txt_record("s._domainkey.example.org") == b"v=DKIM1; p=abc"
    assert server.asked == [("s._domainkey.example.org", LIFETIME_S)]


def make_error(kind: Any, **more: Any) -> Exception:
    """Makes an exception of a library whose constructors have no types."""
    error: Exception = kind(**more)
    return error


NOTHING = (
    make_error(dns.resolver.NXDOMAIN),
    make_error(dns.resolver.NoAnswer, response=dns.message.make_query("a", "A")),
)
SILENCE = (make_error(dns.exception.Timeout), make_error(dns.resolver.NoNameservers), OSError("no network"))


@cases("error", NOTHING)
def test_a_missing_dns_record_is_none_and_no_error(error: Exception) -> None:
    assert DnsResolver(Server(error)).txt_record("example.org") is None


@cases("error", SILENCE)
def test_a_dns_failure_is_an_error_and_is_not_cached(error: Exception) -> None:
    server = Server(error)
    resolver = DnsResolver(server)
    for _ in range(2):
        with pytest.raises(DnsError):
            resolver.txt_record("example.org")
    assert len(server.asked) == 2


def test_an_invalid_dns_name_has_no_record() -> None:
    for name in ("a" * 64 + ".example.org", "a..example.org", ".".join(["abc"] * 100)):
        assert DnsResolver(dns.resolver.Resolver(configure=False)).txt_record(name) is None


@cases(
    "name, records, chosen",
    [
        ("_dmarc.example.org", [b"v=spf1 -all", b"v=DMARC1; p=none"], b"v=DMARC1; p=none"),
        ("_dmarc.example.org", [b"v=DMARC1; p=none", b"v=DMARC1; p=reject"], None),
        ("_dmarc.example.org", [b"v=spf1 -all"], None),
        ("s._domainkey.example.org", [b"google-site", b"p=abc", b"p=def"], b"p=abc"),
        ("s._domainkey.example.org", [b"nothing"], b"nothing"),
    ],
)
def test_of_several_txt_records_the_relevant_one_is_chosen(
    name: str, records: list[bytes], chosen: bytes | None
) -> None:
    assert DnsResolver(Server([Record(record) for record in records])).txt_record(name) == chosen


def test_all_dns_lookups_of_one_mail_share_a_time_limit() -> None:
    server, now = Server(make_error(dns.exception.Timeout)), [100.0]
    resolver = DnsResolver(server, lambda: now[0])
    for number in range(8):
        with pytest.raises(DnsError):
            resolver.txt_record(f"s{number}._domainkey.example.org")
        now[0] = 100.0 + sum(lifetime for _name, lifetime in server.asked)
    assert [lifetime for _name, lifetime in server.asked] == [LIFETIME_S, ALTOGETHER_S - LIFETIME_S]
