"""Links, addresses that mail comes back to, forms, shares of matches, and URLs of strangers: what each says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from typing import Any

from pbem.errors import Problem
from pbem.features import safe_http
from pbem.features.inbox.reply_tokens import ReplyTokens, SeatNamed
from pbem.features.leagues import claims
from pbem.features.safe_http import Answer
from pbem.features.webhooks.chats import check_hook_url
from pbem.features.webhooks.sheets import redact_url
from pbem.kit.folds import no_folds
from pbem.models.tables import FoldRow, Match, OutboxRow, table
from pbem.services import counters, shards, statements, versions
from pbem.services.counters import Counters, Mark
from pbem.services.shards import Shard
from pbem.services.site import Cache, Head, Work
from pbem.services.tokens import (
    ERA,
    SEAT_CLAIMS,
    ChangeClaim,
    Claim,
    NeverClaim,
    OfferClaim,
    OpeningClaim,
    PlayClaim,
    PlayerClaim,
    SentClaim,
    StopClaim,
    Tokens,
    VacancyClaim,
    next_named,
    next_opening,
    opening_of,
)
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, result_in_a_line
from tests.table import House

NOW = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MATCH = "0123456789abcdef01234567"


def tell(house: House, told: Chronicle) -> None:
    _tell_links(told)
    _tell_addresses(told)
    _tell_forms(told)
    _tell_shares(told)
    _tell_urls(told)
    _tell_caches(house, told)
    _tell_count(told)


def _read(kind: type[Claim], tokens: Tokens, token: str) -> Claim:
    return tokens.read(kind, token)


def _tell_links(told: Chronicle) -> None:
    told.part("links")
    tokens, other = Tokens("a secret"), Tokens("another")
    made: dict[str, tuple[str, Callable[[Tokens, str], Any]]] = {
        "owner": (tokens.for_owner(MATCH, 1, 2, None), lambda t, x: t.read(PlayClaim, x)),
        "guest": (tokens.for_owner(MATCH, 1, 2, 7), lambda t, x: t.read_guest(x)),
        "account": (tokens.for_account(5, 6, NOW), lambda t, x: t.read_account(x, NOW)),
    }
    digest = tokens.address_digest("a@x.org")
    said: dict[str, Claim] = {
        "join": OpeningClaim(MATCH, 1, 3),
        "substitute": VacancyClaim(MATCH, 1, 3),
        "never": NeverClaim(5, digest),
        "stop": StopClaim(5, digest),
        "weekly": claims.WeeklyClaim(5, digest),
        "entrant": claims.EntrantClaim(5, digest),
        "offer": OfferClaim(5),
        "old": ChangeClaim(5, "old"),
        "new": ChangeClaim(5, "new"),
        "sent": SentClaim(MATCH, digest),
        "browser": PlayerClaim(5, 6),
        **{purpose: kind(MATCH, 1, 2) for purpose, kind in SEAT_CLAIMS.items() if purpose != "play"},
    }
    made |= {name: (tokens.sign(claim), partial(_read, type(claim))) for name, claim in said.items()}
    for name, (token, read) in made.items():
        tries = ((other, token), (tokens, token[:-1] + "é"), (tokens, "x." + token))
        wrong = [result_in_a_line(lambda read=read, one=one: read(*one))[:12] for one in tries]  # type: ignore[misc]
        readers = sorted(each for each, (_, reads) in made.items() if _reads(reads, tokens, token))
        told.lines += [f"  {name}: {token}", f"    {read(tokens, token)}", f"    {wrong}, read as {', '.join(readers)}"]
    lives = (-SECOND, timedelta(), timedelta(hours=25), timedelta(hours=25) + SECOND)
    note_results_of_cases(
        told,
        "account links for",
        lambda life: tokens.read_account(tokens.for_account(1, 2, NOW, life), NOW).until,
        lives,
    )
    told.lines += [
        f"  {tokens.address_digest('a')}",
        f"  {tokens.mailbox_digest('a')}",
        f"  {tokens.request_digest(b'a')}",
    ]
    epochs = (0, 1, ERA - 1, ERA, ERA + 5, 2 * ERA - 1, 2 * ERA, 3 * ERA)
    note_results_of_cases(
        told, "eras", lambda epoch: [opening_of(epoch), next_opening(epoch), next_named(epoch)], epochs
    )


def _reads(read: Callable[[Tokens, str], Any], tokens: Tokens, token: str) -> bool:
    try:
        return read(tokens, token) is not None
    except (Problem, ValueError):
        return False


def _tell_addresses(told: Chronicle) -> None:
    told.part("addresses that mail comes back to")
    tokens = ReplyTokens("a secret")
    made = {
        "question": tokens.for_question(MATCH, 1, 2, "t1.act"),
        "seat": tokens.for_question(MATCH, 1, 2),
        "mute": tokens.for_mute(MATCH, 1, 2),
        "stop": tokens.for_stop(5),
        "bounce": tokens.for_bounce(5),
        "another bounce": tokens.for_bounce(6),
        "the last bounce": tokens.for_bounce(2**48 - 1),
    }
    for name, token in made.items():
        said = tokens.read_token(token)
        told.lines += [f"  {name}: {token}", f"    {said}"]
        if isinstance(said, SeatNamed):
            seats = [tokens.names_seat(said, epoch) for epoch in (1, 2)]
            asked = [tokens.names_question(said, *one) for one in ((2, "t1.act"), (2, ""), (1, "t1.act"), (2, "t2"))]
            told.lines.append(f"    seat {seats}, question {asked}")
    bounce = made["bounce"]
    wrong: Iterable[str] = (
        bounce.upper(), bounce[:-1], bounce + "a", "s" + bounce[1:], "x" + bounce[1:], "q" + bounce[1:],
        bounce[:-1] + ("a" if bounce[-1] != "a" else "i"), "b" + made["seat"][1:], made["mute"][:-8], "", "b", "b!",
    )  # fmt: skip
    note_results_of_cases(told, "others", tokens.read_token, wrong)


def _tell_forms(told: Chronicle) -> None:
    told.part("forms")
    version = versions.digest_of_values("a", 1)
    told.lines.append(f"  {version}")
    cases = (
        (None, ("a", 1), ("b", 2)), (version, ("a", 1), ("a", 1)), (version, ("a", 1), ("b", 1)),
        (version, ("c", 1), ("a", 1)), (version, ("c", 1), ("b", 2)), (version, ("c", 1), ("c", 2)),
        (version, ("c", 9), ("b", 8)), ("x", ("a", 1), ("a", 2)), ("x-y", ("a", 1), ("a", 2)), ("", ("a", 1), ("a", 1)),
    )  # fmt: skip
    note_results_of_cases(told, "merged", lambda one: versions.merge_and_list_clashes(*one), cases)
    note_results_of_cases(told, "stored", lambda one: versions.merge_or_raise_changed(*one), cases)


def _tell_shares(told: Chronicle) -> None:
    told.part("shares of all matches")
    note_results_of_cases(told, "bounds", lambda one: [Shard(*one).lowest_id, Shard(*one).id_above_highest],
         ((0, 1), (0, 3), (1, 3), (2, 3), (255, 256), (1, 2)))  # fmt: skip
    ids = ["", "0000", "5554ffff", "5555", "aaa9", "aaaa0", "ffff"]
    for number in range(3):
        low, high = Shard(number, 3).lowest_id, Shard(number, 3).id_above_highest
        mine = [one for one in ids if (low is None or one >= low) and (high is None or one < high)]
        said = [str(one) for one in Shard(number, 3).match_conditions(table(Match).c.id)]
        told.lines.append(
            f"  {mine} {said} {[str(one) for one in Shard(number, 3).player_conditions(table(Match).c.nth)]}"
        )
    told.lines.append(f"  {shards.ALL} {shards.ALL.match_conditions(None)} {shards.ALL.player_conditions(None)}")
    told.lines += [f"  {' '.join(str(made).split())}" for made in (statements.insert_unless_exists_statement("sqlite",
    OutboxRow),
                   statements.insert_unless_exists_statement("postgresql", FoldRow))]  # fmt: skip


def _tell_urls(told: Chronicle) -> None:
    told.part("URLs of strangers")
    urls = (
        "https://example.org", " https://example.org/x?y#z ", "http://example.org", "ftp://example.org", "https://",
        "https://a@example.org", "https://example.org:443/", "https://example.org:1024/", "https://example.org:1023/",
        "https://example.org:99999/", "https://example.org:x/", "https://localhost", "https://example", "https://1.2",
        "https://example.local.", "https://x.test", "https://x.internal", "https://127.0.0.1", "https://8.8.8.8",
        "https://[::1]/", "https://[2606:4700::1]/", "https://exa mple.org", "https://exämple.org", "https://a\\b.org",
        "https://example.org/" + "x" * 480, "https://example.org/" + "x" * 481, "", "https://[1/",
    )  # fmt: skip
    note_results_of_cases(told, "of others", lambda url: safe_http.strip_and_check_url(url, private=False), urls)
    note_results_of_cases(
        told, "on the host's own network", lambda url: safe_http.strip_and_check_url(url, private=True), urls[:5]
    )
    for preset, chats in {
        "discord": ("https://discord.com/api/webhooks/1", "https://discordapp.com/api/webhooks/1", "https://discord.com/x",
                    "http://discord.com/api/webhooks/1", "https://discord.org/api/webhooks/1"),
        "slack": ("https://hooks.slack.com/services/1", "https://slack.com/services/1", "https://hooks.slack.com/x"),
    }.items():  # fmt: skip
        note_results_of_cases(told, preset, lambda url, preset=preset: check_hook_url(url, preset, private=True), chats)  # type: ignore[misc]
    note_results_of_cases(told, "redacted", redact_url, ("https://example.org:8443/hook?key=1#x", "http://example.org"))
    addresses = (
        "8.8.8.8",
        "10.0.0.1",
        "127.0.0.1",
        "169.254.1.1",
        "192.88.98.255",
        "192.88.99.0",
        "192.88.99.255",
        "192.88.100.0",
        "168.63.129.15",
        "168.63.129.16",
        "168.63.129.17",
        "224.0.0.1",
        "240.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "2606:4700::1",
        "::1",
        "::",
        "::ffff:8.8.8.8",
        "::ffff:10.0.0.1",
        "2002:808:808::1",
        "2002:a00:1::1",
        "64:ff9b::808:808",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "fec0::1",
        "fe80::1",
        "fe80::1%1",
        "2606:4700::1%1",
        "ff02::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "3fff::1",
        "3fff:fff:ffff::1",
        "100::1",
        "fc00::1",
        "4000::1",
    )
    note_results_of_cases(told, "public", lambda one: safe_http.is_public_address(ip_address(one)), addresses)
    note_results_of_cases(
        told, "arrived", lambda status: Answer(status).is_accepted, (None, 199, 200, 204, 299, 300, 404, 500)
    )


def _tell_caches(house: House, told: Chronicle) -> None:
    told.part("caches")
    views: Cache[int] = Cache()
    for at in range(128):
        views.keep(at, at)
    views.find(0)
    views.keep("one more", 999)
    note_results_of_cases(told, "views", views.find, (0, 1, 2, "one more", "none"))
    with house.site.writing() as work:
        assert isinstance(work, Work)
        work.made = Head("m", 3, 1, "made", no_folds(0))
        note_results_of_cases(told, "within a transaction", lambda one: (found := work.head(*one)) and found.state,
             (("m", 3, 1), ("m", 2, 1), ("n", 3, 1)))  # fmt: skip
        work.count("moves", "hogen", "api")
        work.count("lag", "hogen", seconds=0.3)
        work.wakes = True
    note_results_of_cases(
        told, "after its commit", lambda one: (found := house.site.heads.find(one)) and found.state, ("m",)
    )
    told.lines.append(f"  {sorted(house.site.counters.read().items())}")
    told.do("it wakes", lambda: None)
    told.lines.append(f"  {house.site.url('/x')}")


def _tell_count(told: Chronicle) -> None:
    told.part("counts")
    here = Counters()
    here.add([Mark("moves", ("hogen", "api")), Mark("moves", ("hogen", "api")), Mark("a|b", ("c|d",))])
    here.add([Mark("lag", ("x",), bound) for bound in (0.0, *counters.BOUNDS, 86_401.0)])
    told.lines += [
        f"  {field}: {count:g} {counters.count_key_of_field(field)}" for field, count in sorted(here.read().items())
    ]
    told.lines.append(
        f"  {here.flush()} {counters.count_key_of_field('alone')} {counters.count_key_of_field('a|#sum')}"
    )
