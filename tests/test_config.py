"""Settings: the meaning of each variable; a host sees all mistakes at once."""

from __future__ import annotations

import ssl
import stat
from dataclasses import replace
from email.message import Message
from pathlib import Path

import pytest
from kombu import Connection

from pbem.config import Config, ConfigError, ensure_secret_file, mode_of
from pbem.discovery import packages_of_features
from pbem.environment import Smtp, data_folder, is_loopback, mask_password
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS
from tests.settings import PRODUCTION, SECRET


def _config_of(**environ: str) -> Config:
    return Config.from_env({"PBEM_SECRET": SECRET, **environ}, "embedded")


def _production(**environ: str) -> Config:
    return Config.from_env({**PRODUCTION, **environ}, "production")


def _smtp(url: str) -> Smtp:
    smtp = _production(SMTP_URL=url).smtp
    assert smtp is not None
    return smtp


def test_embedded_mode_needs_no_setting_but_its_secret(tmp_path: Path) -> None:
    config = _config_of(PBEM_DATA=str(tmp_path))
    assert config.url == "http://127.0.0.1:8000"
    assert config.database_url == f"sqlite:///{tmp_path}/pbem.db"
    assert config.redis_url is None
    assert config.broker_url is None
    assert (config.turn_s, config.window_s, config.lapse_days) == (259_200, 86_400, 14)
    assert config.mail_hold_s == 0
    assert config.max_body == 1_048_576
    assert not config.log_json


ALL = tuple(sorted(packages_of_features()))


@cases(
    "said, on",
    [
        (None, ALL),
        ("push", ("push",)),
        (" push, ", ("push",)),
        (" ".join(reversed(ALL)), ALL),
        ("", ALL),
        ("none", ()),
    ],
)
def test_a_host_names_the_features_that_are_on(said: str | None, on: tuple[str, ...]) -> None:
    assert _config_of(**({} if said is None else {"PBEM_FEATURES": said})).features == on


def test_an_unknown_feature_in_pbem_features_is_an_error() -> None:
    with pytest.raises(ConfigError) as wrong:
        _config_of(PBEM_FEATURES="push pull")
    assert f"PBEM_FEATURES: there is no feature 'pull'. There are: {', '.join(ALL)}." in str(wrong.value)


def test_embedded_without_smtp_has_the_mailbox_and_no_caps() -> None:
    config = _config_of()
    assert config.uses_local_mailbox
    assert not config.has_caps


def test_embedded_with_smtp_is_a_small_host_with_caps_and_no_mailbox() -> None:
    config = _config_of(SMTP_URL="smtp://mail.example.org", PBEM_FROM="play@example.org")
    assert not config.uses_local_mailbox
    assert config.has_caps


@cases("host", ["0.0.0.0", "192.0.2.7", "::"])
def test_the_local_mailbox_is_off_when_other_machines_can_reach_the_port(host: str) -> None:
    assert not _config_of(PBEM_HOST=host).uses_local_mailbox


def test_embedded_mode_takes_database_redis_port_and_host_from_the_environ() -> None:
    config = _config_of(DATABASE_URL="postgres://u@h/d", REDIS_URL="redis://h", PORT="9000", PBEM_HOST="::1")
    assert config.database_url == "postgresql+psycopg://u@h/d"
    assert config.redis_url == "redis://h"
    assert config.url == "http://[::1]:9000"


def test_production_reads_every_setting() -> None:
    config = _production(
        PBEM_PROXIES="1", PBEM_TURN_SECONDS="3600", PBEM_MAILS_PER_ADDRESS_DAY="7",
        PBEM_UNVERIFIED_MAILS_PER_ADDRESS_DAY="3", PBEM_UNVERIFIED_MAILS_PER_DAY="99",
    )  # fmt: skip
    assert config.url == "https://play.example.org"
    assert config.database_url == "postgresql+psycopg://pbem:dbword@db.example.org/pbem"
    assert config.smtp == Smtp("mail.example.org", 587, "alice", "mailword", "starttls", 10.0)
    assert (config.trusted_proxies, config.turn_s, config.mails_per_address_day) == (1, 3600, 7)
    assert (config.unverified_mails_per_address_day, config.unverified_mails_per_day) == (3, 99)
    assert config.mail_hold_s == 60
    assert config.has_caps
    assert config.log_json
    assert not config.uses_local_mailbox


def test_the_link_to_the_source_is_the_hosts_setting_or_the_packages_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _config_of(PBEM_SOURCE="https://code.example.org/mine").source == "https://code.example.org/mine"
    told = Message()
    told["Project-URL"] = "Documentation, https://docs.example.org"
    monkeypatch.setattr("pbem.environment.metadata", lambda _name: told)
    assert _config_of().source is None
    told["Project-URL"] = "Source, https://code.example.org/Pbem"
    assert _config_of().source == "https://code.example.org/Pbem"


def test_production_has_no_silent_default() -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_env({}, "production")
    assert {problem.variable for problem in caught.value.problems} == set(PRODUCTION)


def test_every_mistake_is_reported_at_once_with_a_hint() -> None:
    wrong = {
        "PORT": "eighty",
        "PBEM_HOST": "not a host",
        "PBEM_URL": "http://play.example.org",
        "DATABASE_URL": "sqlite:///pbem.db",
        "REDIS_URL": "amqp://h",
        "PBEM_SECRET": "short",
        "SMTP_URL": "http://mail.example.org",
        "PBEM_FROM": "nobody",
        "PBEM_TURN_SECONDS": "0",
        "PBEM_PROXIES": "-1",
        "IMAP_URL": "pop3://mail.example.org",
        "PBEM_LMTP": "2424",
        "PBEM_INBOUND_SECRET": "short",
        "PBEM_AUTHSERV": "mx example",
        "PBEM_REPLY_TO": "play",
    }
    with pytest.raises(ConfigError) as caught:
        _production(**wrong)
    problems = caught.value.problems
    assert {problem.variable for problem in problems} == set(wrong)
    assert all(problem.what and problem.hint for problem in problems)
    assert all(str(problem) in str(caught.value) for problem in problems)


@cases(
    "name, value",
    [
        ("PBEM_URL", "https://play.example.org/below"),
        ("PBEM_URL", "https://play.example.org/?x=1"),
        ("PBEM_URL", "play.example.org"),
        ("PBEM_SOURCE", "code.example.org"),
        ("PBEM_URL", "https://[::1"),
        ("PBEM_URL", "https://play.example.org:port"),
        ("DATABASE_URL", "mysql://h/d"),
        ("REDIS_URL", "redis://"),
        ("SMTP_URL", "smtp://mail.example.org?tls=maybe"),
        ("SMTP_URL", "smtps://mail.example.org?tls=none"),
        ("SMTP_URL", "smtp://alice@mail.example.org"),
        ("SMTP_URL", "smtp://mail.example.org?timeout=0"),
        ("SMTP_URL", "smtp://mail.example.org?unknown=1"),
        ("PBEM_FROM", "a@b@c"),
        ("PBEM_FROM", "jeu@exämple.org"),
        ("PBEM_FROM", "jöu@example.org"),
        ("PBEM_FROM", "Alice <alice@example.org>"),
        ("PORT", "65536"),
        ("IMAP_URL", "imaps://mail.example.org"),
        ("IMAP_URL", "imaps://alice@mail.example.org"),
        ("IMAP_URL", "imaps://a:b@mail.example.org?tls=none"),
        ("IMAP_URL", "imap://a:b@mail.example.org?tls=maybe"),
        ("IMAP_URL", "imap://a:b@mail.example.org?timeout=0"),
        ("IMAP_URL", "imap://a:b@mail.example.org?unknown=1"),
        ("IMAP_URL", "imap://a:b@[::1"),
        ("IMAP_URL", "imap://a:b@h/pbem-taken"),
        ("IMAP_URL", "imap://a:b@h/INBOX.Pbem-Taken/"),
        ("PBEM_LMTP", "192.0.2.7:24"),
        ("PBEM_LMTP", "0.0.0.0:24"),
        ("PBEM_LMTP", "127.0.0.1:0"),
        ("PBEM_LMTP", "127.0.0.1:70000"),
        ("PBEM_LMTP", "/run/" + "x" * 120),
        ("PBEM_INBOUND_SECRET", "fifteen-letters"),
        ("PBEM_INBOUND_SECRET", "with spaces in between"),
        ("PBEM_AUTHSERV", "mx.example.org, mx;"),
    ],
)
def test_each_invalid_setting_is_reported_under_its_variable(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _production(**({name: value, "PBEM_REPLY_TO": "play@example.org"} if name in INTAKES else {name: value}))
    assert [problem.variable for problem in caught.value.problems] == [name]


INTAKES = ("IMAP_URL", "PBEM_LMTP", "PBEM_INBOUND_SECRET")


@cases("url", ["https://example.org/pbem", "https://example.org/pbem/", "http://127.0.0.1:8000/games/pbem"])
def test_a_site_url_with_a_path_is_refused_with_the_reason(url: str) -> None:
    for settings in (_production, _config_of):
        with pytest.raises(ConfigError) as caught:
            settings(PBEM_URL=url)
        (problem,) = caught.value.problems
        assert problem.variable == "PBEM_URL"
        assert problem.what.startswith("it has a path, '/")
        assert "a name of its own" in problem.hint


def test_an_unknown_pbem_variable_is_reported_with_the_likely_one() -> None:
    unknown = _config_of(PBEM_TURN_SECOND="60", PBEM_XYZZY="1", PBEM_LOGS_MB="9", HOME="/root").unknown
    assert [str(problem) for problem in unknown] == [
        "PBEM_TURN_SECOND: there is no such setting. Is PBEM_TURN_SECONDS meant?",
        "PBEM_XYZZY: there is no such setting. docs/hosting.md lists all settings.",
    ]


def test_plain_http_is_allowed_on_loopback_only() -> None:
    assert _production(PBEM_URL="http://localhost:8000/").url == "http://localhost:8000"


def test_an_empty_variable_counts_as_unset() -> None:
    assert _config_of(PORT="", PBEM_HOST=" ").port == 8000


@cases(
    "url, expected",
    [
        ("smtps://mail.example.org", Smtp("mail.example.org", 465, tls="ssl")),
        ("smtp://localhost:1025?tls=none&timeout=3", Smtp("localhost", 1025, tls="none", timeout=3.0)),
        ("smtp://a%40b:p%2Fw@mail.example.org:2525", Smtp("mail.example.org", 2525, "a@b", "p/w")),
    ],
)
def test_an_smtp_url_says_how_mail_is_handed_over(url: str, expected: Smtp) -> None:
    assert _smtp(url) == expected


def test_the_repr_of_the_settings_hides_passwords() -> None:
    shown = repr(_production())
    for word in (SECRET, "dbword", "redisword", "mailword"):
        assert word not in shown
        assert word not in repr(_smtp(PRODUCTION["SMTP_URL"]))
    assert "db.example.org" in shown


def test_a_mistake_in_an_address_does_not_print_its_password() -> None:
    with pytest.raises(ConfigError) as caught:
        _production(
            PBEM_URL="https://alice:urlword@play.example.org",
            DATABASE_URL="mysql://pbem:dbword@h/d",
            REDIS_URL="amqp://:redisword@h",
            SMTP_URL="http://alice:mailword@h",
            PBEM_SECRET="tooshort",
        )
    for word in ("urlword", "dbword", "redisword", "mailword", "tooshort"):
        assert word not in str(caught.value)


@cases(
    "url, expected",
    [
        ("redis://:pw@h:6379/0", "redis://:***@h:6379/0"),
        ("postgresql://u:p/w@h/d", "postgresql://u:***@h/d"),
        ("postgresql:///d?host=/run&password=pw", "postgresql:///d?host=/run&password=***"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock"),
    ],
)
def test_masking_hides_the_password_and_nothing_else(url: str, expected: str) -> None:
    assert mask_password(url) == expected


@cases(
    "redis_url, broker_url",
    [
        ("redis://h:6379/1", "redis://h:6379/1"),
        ("unix:///tmp/x/valkey", "redis+socket:///tmp/x/valkey?virtual_host=0"),
        ("unix:///tmp/x/valkey?db=2", "redis+socket:///tmp/x/valkey?virtual_host=2"),
        ("rediss://h/0", "rediss://h/0?ssl_cert_reqs=required"),
        ("rediss://h/0?ssl_cert_reqs=none", "rediss://h/0?ssl_cert_reqs=none"),
    ],
)
def test_broker_url_is_the_redis_url_as_celery_spells_it(redis_url: str, broker_url: str) -> None:
    assert replace(_config_of(), redis_url=redis_url).broker_url == broker_url


@pytest.mark.long
def test_celery_reaches_a_unix_socket_by_the_broker_url(redis_url: str) -> None:
    broker_url = replace(_config_of(), redis_url=redis_url).broker_url
    assert broker_url is not None
    with Connection(broker_url) as connection, connection.SimpleQueue("test") as queue:
        queue.put("move")
        assert queue.get(timeout=SECONDS).payload == "move"


def test_celery_checks_the_certificate_of_a_tls_broker() -> None:
    broker_url = replace(_config_of(), redis_url="rediss://h/0").broker_url
    assert broker_url is not None
    assert Connection(broker_url).ssl == {"ssl_cert_reqs": ssl.CERT_REQUIRED}


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    ensure_secret_file(tmp_path)
    first = (tmp_path / "secret").read_text()
    ensure_secret_file(tmp_path)
    assert (tmp_path / "secret").read_text() == first
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert Config.from_env({"PBEM_DATA": str(tmp_path)}, "embedded").secret == first.strip()


def test_embedded_without_a_secret_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pbem run"):
        Config.from_env({"PBEM_DATA": str(tmp_path)}, "embedded")


def test_reading_settings_writes_nothing(tmp_path: Path) -> None:
    _config_of(PBEM_DATA=str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_the_data_folder_is_absolute_whatever_was_written() -> None:
    assert data_folder({}) == Path.cwd() / "var"
    assert data_folder({"PBEM_DATA": "~/games"}) == Path.home() / "games"


def test_the_mode_is_production_unless_embedded_is_named() -> None:
    assert mode_of({}) == "production"
    assert mode_of({"PBEM_MODE": "embedded"}) == "embedded"
    with pytest.raises(ConfigError, match="PBEM_MODE"):
        mode_of({"PBEM_MODE": "debug"})


@cases("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LOCALHOST."])
def test_loopback_names_and_addresses_are_recognised(host: str) -> None:
    assert is_loopback(host)


@cases("host", ["0.0.0.0", "::", "192.0.2.7", "localhost.example.org", "127.0.0.1.nip.io", ""])
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_private_networks_are_closed_to_webhooks_unless_the_setting_is_1() -> None:
    assert not _config_of().webhooks_private
    assert not _production(PBEM_WEBHOOKS_PRIVATE="0").webhooks_private
    assert _config_of(PBEM_WEBHOOKS_PRIVATE="1").webhooks_private
    with pytest.raises(ConfigError, match="PBEM_WEBHOOKS_PRIVATE"):
        _production(PBEM_WEBHOOKS_PRIVATE="yes")
