"""Link tokens: each carries what was signed, for one purpose, and stays valid in old mails."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from itsdangerous import Signer

from pbem.errors import Unauthorized
from pbem.services.tokens import (
    ACCOUNT_LIFE,
    ERA,
    SEAT_CLAIMS,
    AccountClaim,
    ChangeClaim,
    Claim,
    GuestClaim,
    MailboxClaim,
    NeverClaim,
    OfferClaim,
    OpeningClaim,
    PlayerClaim,
    SeatClaim,
    SentClaim,
    StopClaim,
    Tokens,
    VacancyClaim,
    next_named,
    next_opening,
    opening_of,
)
from tests.harness.cases import cases

SECRET = "a secret of these tests alone"
TOKENS = Tokens(SECRET)
NOW = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
ALICE = "alice@example.org"
DIGEST = "6c47e61d03ce6526a7cbb671aa01d65a90fafc6db2fa3c900618c13a231a20ed"
# Tokens from earlier mails. They are never re-recorded: a link in a mail must outlive every release.
SENT = {
    "play": "c0ffee.2.7.HoYe4bZc5OtPUU_BvyuGL1TNyj6zJyAPSo0MJdvk3tg",
    "confirm": "c0ffee.2.7.L9PPw8audLpiTU-E8cBHnHViLNphKW97gxmTz_Y3sfk",
    "invitation": "c0ffee.2.7.w1ZoFa1BkqYgb4PeR4EEc3jUEzQjvr_Mf-5r4vT7fo8",
    "mute": "c0ffee.2.7.fybk_31Gr9s34vG8y3UhHx8Djuz3TLqso1mVI4JBRu8",
    "orders": "c0ffee.2.7.3VOn7oSUK_ncfIOpfx5LI6WJk9e4qZU860k_TnBxzmw",
    "guest": "c0ffee.2.7.5.3PAxJTUTEyyJiv6uraZaDbsI24YLGpA63L9dQaYPQVQ",
    "join": "c0ffee.2.7.dalFeywINZB7duNVKhrt2TcpxFVaQUAufHsIXdtFu5g",
    "substitute": "c0ffee.2.7.ZSQJn-35n2PQK5zYMCCsVnFU-h3a7dShgJYRBwzsumM",
    "account": "5.1.1773318840.BEdwITe9ePB9cwkVbqta7w3YHVT1J_1qBT3mYStiM_0",
    "never": f"5.{DIGEST}.q8lmF7JawTNRK5CSD-IGXqukwATRHiUPWHEC2F2VDzQ",
    "stop": f"5.{DIGEST}.GA1ys-vLcop2Ksx28wLlDHz2XRJB1SNa-xcz4q5OnNw",
    "takeover": "9.ym_ed7ZVojebCbgopoSiPRIHr2x2sL6HeaZoxEwN7cc",
    "old": "4.old.XWFYIJ6EHCX_N0oExR8gARZ4s_4tAFAfjjcL342hYOc",
    "new": "4.new.w4BV0JuH-S6H2I_rfPR5IiCYWQnKvMs4wY7Th6eRBnc",
    "sent": f"c0ffee.{DIGEST}.dvcukJmxmJePv03E-WARVorfb_mpzAeZ6wYm9T61UEg",
    "browser": "5.1.XzA5o95WWyZ4hDd609yx_sBjqiGa17vTJYjFrqFcVKQ",
}
SAID: dict[str, Claim] = {
    **{purpose: kind("c0ffee", 2, 7) for purpose, kind in SEAT_CLAIMS.items()},
    "guest": GuestClaim("c0ffee", 2, 7, 5),
    "join": OpeningClaim("c0ffee", 2, 7),
    "substitute": VacancyClaim("c0ffee", 2, 7),
    "account": AccountClaim(5, 1, 1773318840),
    "never": NeverClaim(5, DIGEST),
    "stop": StopClaim(5, DIGEST),
    "takeover": OfferClaim(9),
    "old": ChangeClaim(4, "old"),
    "new": ChangeClaim(4, "new"),
    "sent": SentClaim("c0ffee", DIGEST),
    "browser": PlayerClaim(5, 1),
}


def read_token(name: str, token: str) -> Claim:
    """Returns what the token says as a link of this name."""
    return TOKENS.read(type(SAID[name]), token)


def sign_token(purpose: str, said: str, secret: str = SECRET) -> str:
    """Returns the token of a site with this secret for a purpose."""
    signer = Signer(secret, salt=f"pbem.{purpose}", sep=".", key_derivation="hmac", digest_method=hashlib.sha256)
    return signer.sign(said).decode()


@cases("name", SENT)
def test_tokens_sent_long_ago_are_still_read_as_the_same_claims(name: str) -> None:
    assert read_token(name, SENT[name]) == SAID[name]


def test_signing_a_claim_again_gives_the_token_that_was_sent() -> None:
    assert {name: TOKENS.sign(claim) for name, claim in SAID.items()} == SENT


@cases("name", SENT)
def test_a_token_for_one_purpose_is_worth_nothing_for_another(name: str) -> None:
    same = {"old", "new"} if name in ("old", "new") else {name}
    for other in SENT.keys() - same:
        with pytest.raises(Unauthorized):
            read_token(name, SENT[other])


@cases("name", SENT)
def test_a_token_of_another_site_or_with_a_letter_changed_is_refused(name: str) -> None:
    token = SENT[name]
    said, _, signature = token.rpartition(".")
    foreign = sign_token("address" if name in ("old", "new") else name, said, "another secret")
    for bad in (f"1{token}", f"{said}.x{signature[1:]}", said, foreign):
        with pytest.raises(Unauthorized):
            read_token(name, bad)


@cases("name", SENT)
@cases("bad", ["", ".", "...", "é.é.é.é", "\ud800.1.2.3", "\x00", "x" * 10_000])
def test_malformed_tokens_are_refused_as_invalid_or_expired(name: str, bad: str) -> None:
    with pytest.raises(Unauthorized, match="invalid or expired"):
        read_token(name, bad)


@cases("purpose, parts", [("play", 3), ("account", 3), ("never", 2), ("takeover", 1)])
def test_a_token_of_another_form_than_todays_is_refused(purpose: str, parts: int) -> None:
    for count in {1, 2, 3, 4} - {parts}:
        with pytest.raises(Unauthorized):
            read_token(purpose, sign_token(purpose, ".".join("1" * count)))


@cases("side", ["older", "", "Old", "1"])
def test_an_address_change_token_for_another_side_is_refused(side: str) -> None:
    with pytest.raises(Unauthorized):
        read_token("old", sign_token("address", f"4.{side}"))


@cases("kind", [Claim, SeatClaim, MailboxClaim])
def test_a_claim_without_a_purpose_is_neither_signed_nor_read(kind: type[Claim]) -> None:
    values = {Claim: (), SeatClaim: ("c0ffee", 2, 7), MailboxClaim: (5, DIGEST)}[kind]
    with pytest.raises(TypeError, match=f"{kind.__name__} has no purpose"):
        TOKENS.sign(kind(*values))
    with pytest.raises(TypeError, match=f"{kind.__name__} has no purpose"):
        TOKENS.read(kind, SENT["play"])


@dataclass(frozen=True)
class LastingClaim(Claim):
    """Says something that a token cannot give back."""

    purpose = "play"
    days: float


def test_reading_a_claim_class_with_an_unsupported_field_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="float"):
        TOKENS.read(LastingClaim, SENT["play"])


def test_an_account_token_expires_after_half_an_hour() -> None:
    assert timedelta(minutes=30) == ACCOUNT_LIFE
    token = TOKENS.for_account(5, 1, NOW)
    assert TOKENS.read_account(token, NOW + timedelta(minutes=30)).player_id == 5
    with pytest.raises(Unauthorized):
        TOKENS.read_account(token, NOW + timedelta(minutes=30, seconds=1))


def test_the_hash_of_an_address_is_fixed_and_depends_on_the_secret() -> None:
    # Addresses that want no mail are stored under it: with another hash the site would write to them again.
    assert TOKENS.address_digest(ALICE) == DIGEST
    others = (TOKENS.address_digest("bob@example.org"), Tokens("another secret").address_digest(ALICE))
    assert DIGEST not in others
    assert TOKENS.request_digest(ALICE.encode()) not in (DIGEST, *others)


def test_the_digest_of_a_request_is_the_same_in_every_release() -> None:
    assert TOKENS.request_digest(b"{}") == "5eda641f9480ce8788f73069e4d4467866909d9a310616ea29f87b6c483eb244"
    assert TOKENS.request_digest(b"[]") != TOKENS.request_digest(b"{}")


@cases("epoch", [0, 1, ERA - 1, 2 * ERA, 3 * ERA - 1])
def test_a_seat_of_an_even_era_is_for_whom_the_organiser_names(epoch: int) -> None:
    assert opening_of(epoch) is None
    assert next_named(epoch) == epoch + 1


@cases("epoch, era", [(ERA, 1), (ERA + 1, 1), (2 * ERA - 1, 1), (3 * ERA, 3)])
def test_a_seat_of_an_odd_era_is_for_the_holder_of_the_link_of_that_era(epoch: int, era: int) -> None:
    assert opening_of(epoch) == era
    named = next_named(epoch)
    assert opening_of(named) is None
    assert named == (era + 1) * ERA


@cases("epoch, opened", [(0, 1), (ERA - 1, 1), (ERA, 3), (2 * ERA - 1, 3), (2 * ERA, 3), (3 * ERA, 5)])
def test_a_new_join_link_begins_the_next_odd_era(epoch: int, opened: int) -> None:
    assert next_opening(epoch) == opened * ERA
    assert opening_of(next_opening(epoch)) == opened


def test_the_length_of_an_era_equals_that_in_links_already_sent() -> None:
    assert ERA == 65536


def test_a_sign_in_link_works_to_its_last_second_and_for_25_hours_at_most() -> None:
    def works(life: timedelta) -> bool:
        try:
            return TOKENS.read_account(TOKENS.for_account(5, 1, NOW, life), NOW).until == NOW + life
        except Unauthorized:
            return False

    second, longest = timedelta(seconds=1), timedelta(hours=25)
    assert [works(life) for life in (-second, 0 * second, longest, longest + second)] == [False, True, True, False]
