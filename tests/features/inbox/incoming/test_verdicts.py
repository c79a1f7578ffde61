"""Who may act by mail: signatures, DMARC, and what our own mail server says; nothing forged ever acts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

import pytest

from pbem.features.inbox.incoming.results import (
    Malformed,
    address_of_only_author,
    fields_of_head,
    has_several_blocks,
    read_authentication_results,
    tokens_of_field,
)
from pbem.features.inbox.incoming.verdicts import MOST_LOOKUPS, Resolver, verify_sender
from tests.features.inbox.incoming.signing import MAIL, Names, public_key_record, sign_mail
from tests.harness.cases import cases
from tests.harness.growth import LINEAR, growth_of_cpu_time

ALICE = "alice@example.org"
OURS = ["mx.pbem.example"]
KEY = "s1._domainkey.example.org"
REJECT = {"_dmarc.example.org": b"v=DMARC1; p=reject"}
BY_US = b"Received: from mail.example.org (mail.example.org [192.0.2.1])\r\n by mx.pbem.example with ESMTPS\r\n"
BY_OTHERS = b"Received: from a by b.example.net with ESMTP; Wed, 25 Nov 2026 12:00:00 +0000\r\n"


def verdict_of(raw: bytes, names: Names | None = None, sender: str = ALICE) -> str:
    return verify_sender(raw, sender, trusted=(), resolver=names or Names())[0]


def verdict_of_block(block: str, raw: bytes = MAIL, resolver: Resolver | None = None, sender: str = ALICE) -> str:
    return verify_sender(_block(block) + BY_US + raw, sender, trusted=OURS, resolver=resolver or Names())[0]


def _block(said: str, server: str = "mx.pbem.example") -> bytes:
    return f"Authentication-Results: {server}; {said}\r\n".encode()


def test_reading_a_long_field_of_results_takes_linear_time() -> None:
    tenth, whole = ("mx.pbem.example; dkim=pass" + "".join(f" a{n}=b" for n in range(pairs)) for pairs in (700, 7_000))
    assert (
        growth_of_cpu_time(lambda: read_authentication_results(tenth), lambda: read_authentication_results(whole))
        < 10 * LINEAR
    )


# --- checked by ourselves ----------------------------------------------------------------------------------------


def test_a_dkim_signature_of_the_senders_domain_needs_one_dns_lookup() -> None:
    names = Names()
    assert verify_sender(sign_mail(MAIL), ALICE, trusted=(), resolver=names) == ("act", "signature")
    assert names.asked == [KEY]


def test_a_dkim_signature_matches_an_address_in_any_letter_case() -> None:
    raw = sign_mail(MAIL.replace(b"alice@example.org", b"Alice@Example.ORG"))
    assert verdict_of(raw, sender="Alice@example.org") == "act"


def test_a_mail_without_dkim_and_dmarc_policy_asks_for_confirmation() -> None:
    assert verify_sender(MAIL, ALICE, trusted=(), resolver=Names()) == ("ask", "unsigned")


@cases("policy", [b"v=DMARC1; p=reject", b"v=DMARC1;p=quarantine; pct=100"])
def test_unsigned_mail_asks_for_confirmation_under_any_dmarc_policy(policy: bytes) -> None:
    names = Names({"_dmarc.example.org": policy})
    assert verify_sender(MAIL, ALICE, trusted=(), resolver=names) == ("ask", "unsigned")
    broken = sign_mail(MAIL).replace(b"F3\r\n", b"F3\r\n-- \r\nA list\r\n")
    assert verdict_of(broken, Names({KEY: public_key_record()} | names.records)) == "ask"


def test_a_silent_name_server_neither_passes_nor_fails_a_mail() -> None:
    for down in (("_domainkey.example.org",), ("example.org",)):
        assert verify_sender(sign_mail(MAIL, key="other"), ALICE, trusted=(), resolver=Names(REJECT, down)) == (
            "ask",
            "dns",
        )


def test_one_valid_signature_suffices_beside_one_without_a_dns_answer() -> None:
    raw = sign_mail(sign_mail(MAIL))
    first = raw.replace(b"s=s1", b"s=s2", 1)
    assert verdict_of(first, Names(down=("s2._domainkey.example.org",))) == "act"


def _is_weak(name: str) -> tuple[bytes, Names]:
    records = {KEY: public_key_record()}
    if name == "l=":
        return sign_mail(MAIL, length=True), Names(records)
    if name == "short key":
        return sign_mail(MAIL, key="weak"), Names({KEY: public_key_record("weak")})
    if name == "sha1":
        return sign_mail(MAIL, algorithm=b"rsa-sha1"), Names(records)
    if name == "tested key":
        return sign_mail(MAIL), Names({KEY: public_key_record(more="t=y; ")})
    if name == "revoked key":
        return sign_mail(MAIL), Names({KEY: b"v=DKIM1; k=rsa; p="})
    if name == "another key":
        return sign_mail(MAIL), Names({KEY: public_key_record("other")})
    if name == "no key":
        return sign_mail(MAIL), Names({})
    if name == "long key":
        return sign_mail(MAIL), Names({KEY: public_key_record() + b"; n=" + b"x" * 2000})
    if name == "changed body":
        return sign_mail(MAIL).replace(b"F3\r\n", b"F4\r\n"), Names(records)
    if name == "longer body":
        return sign_mail(MAIL) + b"F4\r\n", Names(records)
    if name == "second From":
        return sign_mail(MAIL).replace(b"From:", b"From: Bob <bob@example.org>\r\nFrom:", 1), Names(records)
    raise AssertionError(name)


@cases(
    "name",
    ["l=", "short key", "sha1", "tested key", "revoked key", "another key", "no key", "long key", "changed body",
     "longer body", "second From"],
)  # fmt: skip
def test_a_weak_dkim_signature_does_not_verify_the_sender(name: str) -> None:
    raw, names = _is_weak(name)
    assert verdict_of(raw, names) == "ask"
    names.records |= REJECT
    assert verdict_of(raw, names) == "ask"


def test_a_signature_that_has_expired_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dkim.time.time", lambda: 1_000_000)
    assert verdict_of(raw := _expiring(1_000_060)) == "act"
    monkeypatch.setattr("dkim.time.time", lambda: 2_000_000)
    assert verdict_of(raw) == "ask"


def _expiring(at: int) -> bytes:
    """Returns the mail signed with x=."""
    import dkim

    made = dkim.DKIM.gen_header
    try:
        dkim.DKIM.gen_header = lambda self, fields, *rest: made(
            self, [*fields[:-1], (b"x", b"%d" % at), fields[-1]], *rest
        )
        return sign_mail(MAIL)
    finally:
        dkim.DKIM.gen_header = made


def test_a_signature_that_does_not_cover_from_does_not_count() -> None:
    raw = sign_mail(MAIL)
    signed = re.sub(rb"h=[^;]*;", b"h=to : subject;", raw)
    assert signed != raw
    names = Names()
    assert verdict_of(signed, names) == "ask"
    assert KEY not in names.asked


@cases(
    "signer, author, record, verdict",
    [
        ("example.org", "mail.example.org", b"v=DMARC1; p=none", "act"),
        ("example.org", "mail.example.org", None, "ask"),
        ("example.org", "mail.example.org", b"v=DMARC1; p=none; adkim=s", "ask"),
        ("example.org", "mail.example.org", b"v=DMARC1; p=none; psd=y", "ask"),
        ("mail.example.org", "example.org", b"v=DMARC1; p=none", "ask"),
        ("evil.example.org", "mail.example.org", b"v=DMARC1; p=none", "ask"),
        ("ample.org", "example.org", b"v=DMARC1; p=none", "ask"),
        ("org", "example.org", b"v=DMARC1; p=none", "ask"),
    ],
)
def test_a_parent_domain_signs_for_a_subdomain_only_with_a_dmarc_record(
    signer: str, author: str, record: bytes | None, verdict: str
) -> None:
    raw = sign_mail(MAIL.replace(b"alice@example.org", f"alice@{author}".encode()), domain=signer)
    records = {f"s1._domainkey.{signer}": public_key_record()} | ({f"_dmarc.{signer}": record} if record else {})
    assert verdict_of(raw, Names(records), f"alice@{author}") == verdict


def test_of_nine_signatures_eight_are_looked_up_and_none_rejects_the_mail() -> None:
    raw = MAIL
    for number in range(9):
        raw = sign_mail(raw, key="other").replace(b"s=s1", b"s=x%d" % number, 1)
    names = Names({f"x{number}._domainkey.example.org": public_key_record() for number in range(9)} | REJECT)
    assert verify_sender(raw, ALICE, trusted=(), resolver=names) == ("ask", "dns")
    assert len(names.asked) == MOST_LOOKUPS


def test_signatures_of_other_domains_cost_no_dns_lookup() -> None:
    raw = MAIL
    for number in range(9):
        raw = sign_mail(raw, domain=f"list{number}.example.net")
    names = Names()
    assert verdict_of(sign_mail(raw), names) == "act"
    assert names.asked == [KEY]


# --- told by our own server --------------------------------------------------------------------------------------


@cases(
    "said",
    [
        "dmarc=pass header.from=example.org",
        "DMARC=Pass (p=reject dis=none) Header.From=Example.ORG",
        "spf=pass smtp.mailfrom=alice@example.org;\r\n\tdkim=pass (2048-bit key) header.d=example.org header.b=x",
        'dkim=fail reason="bad signature" header.d=example.net; dkim=pass header.i=@example.org header.d=example.org;',
        "dkim/1=pass header.d=example.org",
        "dkim=pass (a (nested) comment; dkim=fail) header.d=example.org",
    ],
)
def test_our_own_servers_dmarc_pass_is_trusted_without_a_dns_lookup(said: str) -> None:
    assert verdict_of_block(said) == "act"


@cases("said", ["dmarc=fail (p=none) header.from=example.org", "dkim=pass header.d=example.org; dmarc=fail"])
def test_a_mail_with_our_own_servers_dmarc_fail_is_ignored_silently(said: str) -> None:
    assert verdict_of_block(said) == "silence"
    assert verdict_of_block(said, sign_mail(MAIL), Names()) == "silence"


@cases(
    "said",
    [
        "none",
        "dkim=fail (dkim=pass header.d=example.org) header.d=example.org",
        'dkim=fail reason="; dmarc=pass header.from=example.org"',
        'spf=pass smtp.mailfrom="a; dmarc=pass header.from=example.org"@evil.example',
        'spf=pass smtp.mailfrom="a\\"; dmarc=pass header.from=example.org; x=\\""@evil.example',
        "dmarc=pass header.from=evil.example",
        "dmarc=pass",
        "dkim=pass header.d=evil.example",
        "dkim=pass header.d=mail.example.org",
        "dkim=pass header.i=@example.org",
        "dkim=pass header.d=example.org header.d=evil.example",
        "dkim=temperror header.d=example.org; dmarc=temperror header.from=example.org",
        "spf=pass smtp.mailfrom=alice@example.org",
        "dmarc=passed header.from=example.org",
        "dmarc=pass header.from=example.org (",
        "dmarc=pass header.from=example.org; =",
        "dmarc=pass header.from = = example.org",
        "",
    ],
)
def test_a_result_that_only_resembles_a_pass_asks_for_confirmation(said: str) -> None:
    assert verdict_of_block(said) == "ask"


@cases(
    "server",
    ["mx.pbem.example.evil.example", "evil.example", "mx.pbem.example 2", "mx", "evil (mx.pbem.example)", '""'],
)
def test_authentication_results_of_another_server_are_ignored(server: str) -> None:
    raw = _block("dmarc=pass header.from=example.org", server) + BY_US + MAIL
    assert verify_sender(raw, ALICE, trusted=OURS, resolver=Names())[0] == "ask"


@cases("server", ["MX.pbem.EXAMPLE", "mx.pbem.example 1", '"mx.pbem.example"', "(a) mx.pbem.example (b)"])
def test_our_servers_name_is_recognised_in_any_spelling(server: str) -> None:
    raw = _block("dmarc=pass header.from=example.org", server) + BY_US + MAIL
    assert verify_sender(raw, ALICE, trusted=OURS, resolver=Names())[0] == "act"


PASS = _block("dmarc=pass header.from=example.org")


LOCAL = b"Received: from mx (localhost [127.0.0.1]) by localhost with LMTP\r\n"
FAIL = _block("dmarc=fail")


@cases(
    "head, verdict",
    [
        (PASS + BY_US, "act"),
        (b"Return-Path: <alice@example.org>\r\nX-Spam: no\r\n" + PASS + b"X-Spam: no\r\n" + BY_US + BY_OTHERS, "act"),
        (PASS + LOCAL + BY_US, "act"),
        (PASS + BY_US + PASS, "act"),
        (PASS, "ask"),
        (PASS + BY_OTHERS, "ask"),
        (PASS + BY_OTHERS + BY_US, "ask"),
        (BY_US + PASS, "ask"),
        (BY_US + PASS + BY_US, "ask"),
        (LOCAL + PASS + BY_US, "ask"),
        (LOCAL + BY_US + PASS, "ask"),
        (b"Return-Path: <alice@example.org>\r\n" + BY_US + PASS + BY_OTHERS, "ask"),
        (PASS + PASS + BY_US, "ask"),
        (PASS + _block("spf=none") + BY_US, "ask"),
        (_block("spf=none") + PASS + BY_US, "ask"),
        (_block("dmarc=pass header.from=example.org", "other.example") + PASS + BY_US, "ask"),
        (PASS + _block("none", "other.example") + BY_US, "ask"),
        (PASS + _block("dmarc=pass (") + BY_US, "ask"),
        (_block("dmarc=none") + BY_US + PASS, "ask"),
        (PASS + BY_US.replace(b"by mx.", b"by mx2."), "ask"),
        (BY_OTHERS + PASS, "ask"),
        (BY_US + BY_OTHERS + PASS, "ask"),
        (FAIL + BY_US, "silence"),
        (BY_US + FAIL + PASS, "silence"),
        (FAIL + PASS + BY_US, "silence"),
        (LOCAL + BY_US + FAIL, "silence"),
        (BY_US + BY_OTHERS + FAIL, "ask"),
    ],
)
def test_only_results_that_our_own_server_can_have_written_count(head: bytes, verdict: str) -> None:
    assert verify_sender(head + MAIL, ALICE, trusted=OURS, resolver=Names())[0] == verdict


SEVERAL = [
    PASS + PASS,
    PASS + _block("dkim=pass header.d=example.org"),
    _block("dkim=none") + PASS,
    PASS + _block("dkim=fail header.d=example.org"),
    _block("spf=fail smtp.mailfrom=example.org") + _block("dmarc=none") + PASS,
    PASS + _block("dkim=pass header.d=example.org", "filter.pbem.example"),
    _block("dkim=pass header.d=example.org", "filter.pbem.example") + b"X-Spam: no\r\n" + PASS,
]


@pytest.mark.long
@cases("above", SEVERAL)
def test_mail_with_several_results_in_our_name_is_checked_as_if_without(above: bytes) -> None:
    assert has_several_blocks(fields_of_head(above + BY_US + MAIL), OURS)
    for raw, names in ((sign_mail(MAIL), Names()), (MAIL, Names()), (sign_mail(MAIL, key="other"), Names(down=(KEY,)))):
        alone = verify_sender(BY_US + raw, ALICE, trusted=(), resolver=names)
        assert verify_sender(above + BY_US + raw, ALICE, trusted=OURS, resolver=names) == alone
    assert verify_sender(above + BY_US + sign_mail(MAIL), ALICE, trusted=OURS, resolver=Names()) == ("act", "signature")


@cases(
    "head",
    [
        BY_US, PASS + BY_US, PASS, PASS + PASS, PASS + BY_US + PASS, BY_US + PASS + PASS, PASS + PASS + BY_OTHERS,
        _block("none", "a.example") + _block("none", "b.example") + BY_US, LOCAL + PASS + PASS + BY_US,
    ],
)  # fmt: skip
def test_forgeable_results_do_not_count_as_several_in_our_name(head: bytes) -> None:
    assert not has_several_blocks(fields_of_head(head + MAIL), OURS)


def test_without_a_dmarc_result_the_dkim_signature_decides() -> None:
    assert verdict_of_block("spf=pass smtp.mailfrom=a@example.org", sign_mail(MAIL), Names()) == "act"
    assert verify_sender(sign_mail(MAIL), ALICE, trusted=OURS, resolver=Names())[0] == "act"


def test_a_result_for_a_parent_domain_needs_its_dmarc_record() -> None:
    raw = MAIL.replace(b"example.org>", b"mail.example.org>", 1)
    said, sender = "dkim=pass header.d=example.org", "alice@mail.example.org"
    assert verdict_of_block(said, raw, None, sender) == "ask"
    assert verdict_of_block(said, raw, Names({"_dmarc.example.org": b"v=DMARC1; p=none"}), sender) == "act"


# --- whose mail it is --------------------------------------------------------------------------------------------


@cases(
    "value, address",
    [
        ("alice@example.org", "alice@example.org"),
        ("Alice <alice@example.org>", "alice@example.org"),
        ('"Smith, <bob@example.net>" <alice@example.org> (home)', "alice@example.org"),
        ("=?utf-8?q?bob=40example=2Enet?= <alice@example.org>", "alice@example.org"),
        ("Alice <bob@example.net> <alice@example.org>", None),
        ("alice@example.org, bob@example.net", None),
        ("bob@example.net (alice@example.org", None),
        ("Friends: alice@example.org;", None),
        ("alice@example.org bob@example.net", None),
        ('"alice@example.org"', None),
        ("alice@evil.example@example.org", None),
        ("<>", None),
        ("", None),
    ],
)
def test_the_author_is_the_from_address_if_it_is_unambiguous(value: str, address: str | None) -> None:
    if address is None:
        with pytest.raises(Malformed):
            address_of_only_author([("from", value)])
    else:
        assert address_of_only_author([("from", value)]) == address


@cases(
    "raw",
    [
        b"From: a@b.example\r\nno field\r\n\r\n",
        b"From: a@b.example\rFrom: c@d.example\r\n\r\n",
        b"From: a@b.example\0\r\n\r\n",
        b"From: a@b.example\r\nX: " + b"x" * 600_000 + b"\r\n\r\n",
        b"From: a@b.example\x0c\r\n\r\n",
        b"From : a@b.example\r\n\r\n",
    ],
)
def test_ambiguous_mail_headers_are_rejected(raw: bytes) -> None:
    with pytest.raises(Malformed):
        fields_of_head(raw)
    assert verify_sender(raw, "a@b.example", trusted=OURS, resolver=Names())[0] == "ask"


def test_comments_in_each_other_are_read_up_to_a_depth() -> None:
    assert [word.text for word in tokens_of_field("(a " * 20 + ") " * 20 + "b")] == ["b"]
    with pytest.raises(Malformed):
        tokens_of_field("(a " * 21 + ") " * 21 + "b")


def test_header_comments_nest_and_quoted_strings_have_escapes() -> None:
    words = tokens_of_field(r'a (b (c) \) d) "e \" ; f" g=h')
    assert [word.text for word in words] == ["a", 'e " ; f', "g", "=", "h"]
    assert read_authentication_results("x; none").results == ()


def test_parts_of_a_header_value_without_a_space_are_one_word() -> None:
    (result,) = read_authentication_results(
        'x; spf=pass smtp.mailfrom="alice b"@example.org policy.ip=2001:db8::1 smtp.helo=a'
    ).results
    assert result.properties == {
        "smtp.mailfrom": "alice b@example.org", "policy.ip": "2001:db8::1", "smtp.helo": "a",
    }  # fmt: skip
    with pytest.raises(Malformed):
        read_authentication_results("x; spf=pass policy.ip=a=b")


# --- forgeries ---------------------------------------------------------------------------------------------------

Forgery = Callable[[random.Random], bytes]


def _spoof(luck: random.Random) -> bytes:
    name = luck.choice([b"Alice", b'"alice@example.org"', b"=?utf-8?q?Alice?=", b""])
    return MAIL.replace(b"Alice <", name + b" <").replace(b"<1@", b"<%d@" % luck.randrange(10**9))


def _sign_as_another(luck: random.Random) -> bytes:
    signer = luck.choice(
        ["evil.example", "example.org.evil.example", "mail.example.org", "xexample.org", "org", "EXAMPLE.net"]
    )
    return sign_mail(_spoof(luck), domain=signer, key="evil")


def _sign_by_wrong_key(luck: random.Random) -> bytes:
    return sign_mail(_spoof(luck), key="evil")


def _replay_with_another_body(luck: random.Random) -> bytes:
    body = luck.choice([b"F4\r\n", b"pass\r\n", b"F3\r\nF4\r\n", b"\r\nF3", b"Content-Type: text/html\r\n\r\nF4\r\n"])
    return sign_mail(MAIL).replace(b"F3\r\n", body)


def _replay_with_another_head(luck: random.Random) -> bytes:
    field, value = luck.choice(
        [
            (b"Subject: Re: Hogen", b"Subject: F4"),
            (b"play+token@", b"play+another@"),
            (b"<1@", b"<2@"),
            (b"12:00", b"13:00"),
        ]
    )
    return sign_mail(MAIL).replace(field, value)


def _with_another_from(luck: random.Random) -> bytes:
    signed = sign_mail(MAIL.replace(b"alice@example.org", b"eve@evil.example"), domain="evil.example", key="evil")
    victim = luck.choice(
        [b"From: alice@example.org\r\n", b"from:Alice <alice@example.org>\r\n", b"From: a\r\n <alice@example.org>\r\n"]
    )
    return luck.choice([victim + signed, signed.replace(b"\r\n\r\n", b"\r\n" + victim + b"\r\n", 1)])


def _with_crafted_results(luck: random.Random) -> bytes:
    said = luck.choice(
        ["dmarc=pass header.from=example.org", "dkim=pass header.d=example.org", "dkim=pass (x) header.d=example.org"]
    )
    crafted = luck.choice(
        [
            _block(
                said, luck.choice(["evil.example", "mx.pbem.example.evil.example", "mx-pbem.example", "pbem.example"])
            ),
            BY_OTHERS + _block(said),
            _block(said),
            _block(said) + BY_US,
            _block("dmarc=none; dkim=none; spf=none") + _block(said),
            _block(f'spf=none smtp.mailfrom="; {said};"@evil.example'),
            _block(f"spf=none ({said}) smtp.mailfrom=eve@evil.example"),
            _block(f"dkim=none ((;{said};) smtp.mailfrom=eve@evil.example"),
            _block("spf=none smtp.mailfrom=eve@evil.example\r\n ; dmarc=fail") + _block(said),
            b"X-Spam: no\r\n" + BY_US + _block("dmarc=fail") + BY_OTHERS + _block(said),
            b"X-Authentication-Results: mx.pbem.example; " + said.encode() + b"\r\n",
            b"ARC-Authentication-Results: i=1; mx.pbem.example; " + said.encode() + b"\r\n",
            b"X-A: b\r\n\tAuthentication-Results: mx.pbem.example; " + said.encode() + b"\r\n",
            b"Subject: x\rAuthentication-Results: mx.pbem.example; " + said.encode() + b"\r\n",
            b"Authentication-Results : mx.pbem.example; " + said.encode() + b"\r\n",
        ]
    )
    return BY_US + crafted + _spoof(luck)


def _broken(luck: random.Random) -> bytes:
    raw = bytearray(sign_mail(MAIL))
    end = raw.index(b"\r\n\r\n")
    start = luck.choice([raw.index(b" b=") + 3, raw.index(b"bh=") + 3, raw.index(b"From:"), end])
    raw[start + luck.randrange(40) if start < end else start + 4] ^= 1 + luck.randrange(3)
    return bytes(raw)


FORGERIES: Sequence[Forgery] = (
    _spoof, _sign_as_another, _sign_by_wrong_key, _replay_with_another_body, _replay_with_another_head,
    _with_another_from, _with_crafted_results, _broken,
)  # fmt: skip
RESOLVERS = (
    {KEY: public_key_record()},
    {KEY: public_key_record()} | REJECT,
    {KEY: public_key_record(), "_dmarc.example.org": b"v=DMARC1; p=none; adkim=r"},
)


def _forgeries_that_act(count: int) -> list[bytes]:
    """Returns those of this many forged mails that act; the attacker publishes keys for what is theirs."""
    luck = random.Random(17)
    evil = {
        f"s1._domainkey.{name}": public_key_record("evil")
        for name in ("evil.example", "example.org.evil.example", "EXAMPLE.net")
    }
    evil |= {
        "s1._domainkey.mail.example.org": public_key_record("evil"),
        "s1._domainkey.org": public_key_record("evil"),
    }
    evil |= {"_dmarc.org": b"v=DMARC1; p=none", "_dmarc.mail.example.org": b"v=DMARC1; p=none"}
    acted = []
    for number in range(count):
        raw = FORGERIES[number % len(FORGERIES)](luck)
        resolver = luck.choice([Names(), *(Names(records | evil) for records in RESOLVERS)])
        if verify_sender(raw, ALICE, trusted=luck.choice([(), OURS]), resolver=resolver)[0] == "act":
            acted.append(raw)
    return acted


@pytest.mark.long
def test_no_forged_mail_is_accepted() -> None:
    assert _forgeries_that_act(400) == []


@pytest.mark.long
def test_no_forged_mail_of_a_large_sample_is_accepted() -> None:
    assert _forgeries_that_act(10_000) == []
