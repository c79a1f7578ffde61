"""What features of packages bring beside the core and each other is checked at the start; ours have no such mistake."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem import create_app, discovery
from pbem.config import Config, ConfigError
from pbem.models.tables import OutboxRow, table
from pbem.services.kinds import core_kinds_of_mail
from pbem.services.privacy.retention import FORGET_LAST, FORGET_OLD
from pbem.services.tokens import Claim, Tokens
from pbem.workers.schedule import ROUNDS, TASKS
from tests.commands.conftest import Pbem
from tests.commands.conftest import bare as bare
from tests.features.installed import install_feed
from tests.services.conftest import house as house
from tests.table import House

SECRET = {"PBEM_SECRET": "s" * 40}
NUMBERS = "from pbem.environment import Number\nSETTINGS = ({},)\n"
HOOKS = "from pbem.services.hooks import Fate, Hooks, Personal\nHOOKS = Hooks(personal=Personal({}))\n"
TABLES = """
import sqlalchemy as sa

SAID = sa.Table(
    "feed_said", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("players.id")),
    sa.Column("match_id", sa.String, sa.ForeignKey("matches.id")),
)
"""
FATED = {"hooks.py": HOOKS.format('fates={"feed_said.player_id": Fate("deleted", export=())}'), "tables.py": TABLES}
UNFATED = "the feature 'feed' has no fate for the column 'feed_said.player_id', which points to a player"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"tasks.py": "TASKS = {'drain': 1}\n"},
            ["the task 'drain' of the feature 'feed' has the name of one of pbem"],
        ),
        (
            {"tasks.py": "TASKS = {'meet': 1}\nREQUESTS = {'feed': 1, 'analyse': 2}\n"},
            [
                "the task 'meet' of the feature 'feed' has the name of one of the feature 'circles'",
                "the task 'analyse' of the feature 'feed' has the name of one of the feature 'analysis'",
            ],
        ),
        (
            {"tasks.py": "TASKS = {'feed': 1}\nREQUESTS = {'feed': 1}\n"},
            ["the task 'feed' of the feature 'feed' has the name of one of the feature 'feed'"],
        ),
        (
            {"hooks.py": HOOKS.format("forget_old={'strangers': len, 'calls': len, 'feeds': len}")},
            [
                "the sweep 'strangers' of the feature 'feed' has the name of one of pbem",
                "the sweep 'calls' of the feature 'feed' has the name of one of the feature 'webhooks'",
            ],
        ),
        (
            {f"letters/{name}.py": "" for name in ("__init__", "turn", "webhook", "feed", "n" * 20, "n" * 21)},
            [
                "the mail 'turn' of the feature 'feed' has the name of one of pbem",
                "the mail 'webhook' of the feature 'feed' has the name of one of the feature 'webhooks'",
                f"the mail '{'n' * 21}' of the feature 'feed' has a name of more than 20 letters",
            ],
        ),
        (
            {"claims.py": "PURPOSES = ('play', 'weekly', 'feed')\n"},
            [
                "the purpose 'play' of the feature 'feed' has the name of one of pbem",
                "the purpose 'weekly' of the feature 'feed' has the name of one of the feature 'leagues'",
            ],
        ),
        (
            {"settings.py": NUMBERS.format("Number('PBEM_WAITING', 1, 0, 3000), Number('PBEM_LOGS_MB', 1, 1, 9)")},
            [
                "the setting 'PBEM_WAITING' of the feature 'feed' has the name of one of pbem",
                "the setting 'PBEM_LOGS_MB' of the feature 'feed' has the name of one of the feature 'uploads'",
            ],
        ),
        ({"tables.py": TABLES}, [UNFATED]),
        ({"tables.py": TABLES, "hooks.py": HOOKS.format("")}, [UNFATED]),
        (FATED, []),
        (FATED | {"tables.py": TABLES + "from pbem.models.tables import Player, SeatRow\n"}, []),
        (
            FATED | {"hooks.py": HOOKS.format('fates={"feed_said.player_id": Fate("burnt", "sold", ("id",))}')},
            [
                "the feature 'feed' has for the column 'feed_said.player_id' the fate 'burnt', which is unknown",
                "the feature 'feed' has for the column 'feed_said.player_id' the fate 'sold', which is unknown",
            ],
        ),
        (
            FATED | {"hooks.py": HOOKS.format('fates={"feed_said.player_id": Fate("deleted")}')},
            ["the feature 'feed' does not say what a player gets of the column 'feed_said.player_id' with their data"],
        ),
        (
            FATED
            | {
                "hooks.py": HOOKS.format(
                    'fates={"feed_said.player_id": Fate("deleted", export=("text",))}, export={"feed_said": ("id",)}'
                )
            },
            [
                "the feature 'feed' hands over 'feed_said.text', which is no column of it",
                "the feature 'feed' hands over 'feed_said.seat', which is no column of it",
            ],
        ),
        (
            FATED
            | {
                "hooks.py": HOOKS.format(
                    'fates={"feed_said.player_id": Fate("deleted", export=())}, '
                    'export_through={"feed_said.owner_id": ("text",)}'
                )
            },
            [
                "the feature 'feed' hands over 'feed_said.owner_id', which is no column of it",
                "the feature 'feed' hands over 'feed_said.text', which is no column of it",
            ],
        ),
        (
            FATED
            | {
                "hooks.py": HOOKS.format(
                    'fates={"feed_said.player_id": Fate("deleted", export=())}, export_through={"feed_said.id": ()}'
                )
            },
            ["the feature 'feed' hands over rows by 'feed_said.id', which points to no row with a player_id"],
        ),
        (
            {"hooks.py": HOOKS.format('fates={"feed_said.match_id": Fate("deleted", export=())}'), "tables.py": TABLES},
            [
                UNFATED,
                "the feature 'feed' has a fate for 'feed_said.match_id', "
                "which is no column of it that points to a player",
            ],
        ),
    ],
)
def test_each_mistake_of_a_features_package_is_reported_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str], said: list[str]
) -> None:
    with install_feed(tmp_path, monkeypatch, files):
        assert discovery.mistakes_of_features(("PBEM_WAITING",)) == said
        if not said:
            Config.from_env(SECRET, "embedded")
            return
        for off in ({}, {"PBEM_FEATURES": "none"}):
            with pytest.raises(ConfigError) as told:
                Config.from_env(SECRET | off | {"PORT": "x"}, "embedded")
            assert [one.what for one in told.value.problems if one.variable == "PBEM_FEATURES"] == said
            assert len(told.value.problems) == len(said) + 1, "all mistakes are told together"


BLUEPRINTS = "from flask import Blueprint\nPARTS = [Blueprint(name, __name__) for name in ('play', 'push', 'feed')]\n"


def test_a_packages_duplicate_blueprint_name_is_reported(
    house: House, bare: Pbem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = (
        f"the blueprint {name!r} of the feature 'feed' has the name of one of {whose}"
        for name, whose in (("play", "pbem"), ("push", "the feature 'push'"))
    )
    with install_feed(tmp_path / "there", monkeypatch, {"pages.py": BLUEPRINTS}):
        with pytest.raises(ConfigError) as told:
            create_app(site=house.site)
        assert [one.what for one in told.value.problems] == [own, other]
        assert f"page: it cannot be rendered: {own}" in bare("doctor").output


COMMANDS = "import click\nCOMMANDS = [click.Command(name) for name in ('mail', 'checkpoint', 'feed')]\n"


def test_a_packages_duplicate_command_is_reported(bare: Pbem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with install_feed(tmp_path / "there", monkeypatch, {"commands.py": COMMANDS}):
        for words in (("run",), ("migrate",), ("doctor",), ("feed",), ("checkpoint",)):
            done = bare(*words)
            assert done.exit_code == 1
            for name, whose in (("mail", "pbem"), ("checkpoint", "the feature 'checkpoints'")):
                assert f"the command {name!r} of the feature 'feed' has the name of one of {whose}" in done.output


def test_two_packages_with_the_same_task_name_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with install_feed(tmp_path, monkeypatch, {"tasks.py": "TASKS = {'news': 1}\n"}) as package:
        features = discovery.packages_of_features() | {"other": "pbem_feed"}
        monkeypatch.setattr(discovery, "packages_of_features", lambda: features)
        monkeypatch.setattr(discovery, "packages_of_features", lambda: features)
        assert package.name == "pbem_feed"
        assert discovery.mistakes_of_features(()) == [
            "the task 'news' of the feature 'other' has the name of one of the feature 'feed'"
        ]


BACK = "from pbem.services.hooks import Hooks\nHOOKS = Hooks(back=object())\n"


def test_two_features_that_both_set_the_reply_address_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "the feature 'feed' says where mail comes back to, as 'inbox' does: leave one of them out"
    with install_feed(tmp_path, monkeypatch, {"hooks.py": BACK}):
        with pytest.raises(ConfigError) as told:
            Config.from_env(SECRET, "embedded")
        assert [one.what for one in told.value.problems] == [said]
        for one in ("inbox", "feed,push", "none"):
            Config.from_env(SECRET | {"PBEM_FEATURES": one}, "embedded")


def test_the_built_in_features_have_no_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "OURS", "nothing")
    assert (
        discovery.mistakes_of_features(()) == discovery.clashes_of_return_paths(discovery.packages_of_features()) == []
    )


def test_without_packages_the_check_for_conflicts_imports_nothing() -> None:
    code = (
        "import sys; from pbem.config import Config; "
        "Config.from_env({'PBEM_SECRET': 's' * 40}, 'embedded'); "
        "print(*(name for name in ('pbem.mail', 'pbem.services', 'sqlalchemy', 'flask') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == ""


def test_the_names_of_the_core_are_all_reserved() -> None:
    assert {*TASKS, "think", "go_round"} == discovery.TASKS
    assert {name for names in ROUNDS.values() for name in names} <= discovery.TASKS
    assert {*FORGET_OLD, *FORGET_LAST, "guests"} == discovery.SWEEPS
    assert {module.name for module in discovery.module_infos_in("pbem.services.mail.kinds")} == core_kinds_of_mail()
    assert table(OutboxRow).c.kind.type.length == discovery.LONGEST_MAIL


@dataclass(frozen=True)
class Feed(Claim):
    """What a link of a package's feature says."""

    purpose = "feed"
    number: int


def test_signing_a_token_for_an_undeclared_purpose_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens("s" * 40)
    with pytest.raises(ValueError, match="'feed' is in no feature's PURPOSES"):
        tokens.sign(Feed(7))
    with install_feed(tmp_path, monkeypatch, {"claims.py": "PURPOSES = ('feed',)\n"}):
        assert tokens.read(Feed, tokens.sign(Feed(7))) == Feed(7)
