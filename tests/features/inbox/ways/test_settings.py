"""How mail comes in, as the environment says it."""

import pytest

from pbem.config import Config, ConfigError
from pbem.features.inbox.settings import INBOUND, LOCAL_REPLY_TO, Imap, Lmtp
from tests.harness.cases import cases
from tests.settings import PRODUCTION, SECRET


def on_this_machine(**environ: str) -> Config:
    return Config.from_env({"PBEM_SECRET": SECRET, **environ}, "embedded")


def in_production(**environ: str) -> Config:
    return Config.from_env({**PRODUCTION, **environ}, "production")


@cases(
    "url, expected",
    [
        ("imaps://alice:mailword@mail.example.org", Imap("mail.example.org", 993, "alice", "mailword")),
        (
            "imap://a%40b:p%2Fw@h:1143/Games%2FMine?tls=none&timeout=5",
            Imap("h", 1143, "a@b", "p/w", "Games/Mine", "none", 5.0),
        ),
        ("imap://a:b@h/", Imap("h", 143, "a", "b", tls="starttls")),
    ],
)
def test_an_imap_url_names_a_mailbox(url: str, expected: Imap) -> None:
    inbound = in_production(IMAP_URL=url, PBEM_REPLY_TO="play@example.org").group(INBOUND)
    assert inbound.imap == expected
    assert inbound.intakes == ("imap",)


@cases(
    "text, expected",
    [
        ("127.0.0.1:2424", Lmtp("127.0.0.1", 2424)),
        ("[::1]:24", Lmtp("::1", 24)),
        ("localhost:24", Lmtp("localhost", 24)),
        ("/run/pbem/lmtp", Lmtp(path="/run/pbem/lmtp")),
    ],
)
def test_pbem_lmtp_names_a_loopback_port_or_a_socket(text: str, expected: Lmtp) -> None:
    assert in_production(PBEM_LMTP=text, PBEM_REPLY_TO="play@example.org").group(INBOUND).lmtp == expected


def test_the_repr_of_the_settings_hides_the_secrets_of_intakes() -> None:
    config = in_production(
        IMAP_URL="imaps://alice:imapword@mail.example.org", PBEM_INBOUND_SECRET="relayword" * 2,
        PBEM_AUTHSERV=" MX.example.org, mx2 ,", PBEM_REPLY_TO="play+{token}@example.org",
    )  # fmt: skip
    assert config.group(INBOUND).authserv == ("mx.example.org", "mx2")
    assert config.group(INBOUND).intakes == ("imap", "http")
    assert "imapword" not in repr(config)
    assert "relayword" not in repr(config)
    assert "mail.example.org" in repr(config.group(INBOUND))


def test_an_intake_and_the_address_of_answers_need_each_other() -> None:
    with pytest.raises(ConfigError, match="IMAP_URL and PBEM_LMTP take mail in") as caught:
        in_production(IMAP_URL="imaps://a:b@h", PBEM_LMTP="127.0.0.1:24")
    assert [problem.variable for problem in caught.value.problems] == ["PBEM_REPLY_TO"]
    with pytest.raises(ConfigError, match="nothing takes in"):
        in_production(PBEM_REPLY_TO="play@example.org")
    with pytest.raises(ConfigError, match="nothing takes in"):
        on_this_machine(SMTP_URL="smtp://h", PBEM_FROM="a@example.org", PBEM_REPLY_TO="play@example.org")


@pytest.mark.parametrize("settings", [{"PBEM_REPLY_TO": "play@example.org"}, {"PBEM_LMTP": "127.0.0.1:24"}])
def test_with_the_feature_off_the_hint_on_settings_says_so(settings: dict[str, str]) -> None:
    for features, said in (("inbox", False), ("push", True)):
        with pytest.raises(ConfigError) as caught:
            in_production(PBEM_FEATURES=features, **settings)
        assert ["leaves out `inbox`" in problem.hint for problem in caught.value.problems] == [said]


def test_without_the_local_mailbox_page_mails_have_no_reply_address() -> None:
    config = on_this_machine(PBEM_HOST="0.0.0.0")
    assert (config.uses_local_mailbox, config.group(INBOUND).reply_to) == (False, None)
    with pytest.raises(ConfigError, match="nothing takes in"):
        on_this_machine(PBEM_HOST="192.0.2.1", PBEM_REPLY_TO="play@example.org")


def test_the_local_mailbox_needs_neither_an_intake_nor_a_reply_address() -> None:
    assert on_this_machine().group(INBOUND).reply_to == LOCAL_REPLY_TO
    assert on_this_machine(PBEM_REPLY_TO="play@example.org").group(INBOUND).reply_to == "play@example.org"
    assert on_this_machine(PBEM_LMTP="/tmp/lmtp").group(INBOUND).intakes == ("lmtp",)
