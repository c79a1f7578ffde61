"""`pbem webhook`: the host's own webhooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.errors import Forbidden
from pbem.features.webhooks import registry
from pbem.services.who import HOST
from tests.commands.conftest import Pbem
from tests.services.letterbox import id_of
from tests.table import House, open_house

pytestmark = pytest.mark.usefixtures("no_lookups")

URL = "https://hooks.example.org/pbem/a-secret-path"


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.fixture
def pbem(bare: Pbem, house: House) -> Pbem:
    """The command `pbem` on the house's database."""
    return bare


def test_the_host_s_webhook_is_made_listed_and_deleted(pbem: Pbem, house: House) -> None:
    house.begin()
    assert pbem("webhook", "list").stdout == "There is no webhook.\n"
    made = pbem("webhook", "add", URL, "--on", "over")
    assert made.exit_code == 0, made.output
    assert re.search(r"^whsec_[\w+/=]{44}$", made.stdout, re.MULTILINE)
    listed = pbem("webhook", "list").stdout
    assert re.search(r"^1 +host +https://hooks.example.org/… +over +standard +active$", listed, re.MULTILINE)
    assert "whsec_" not in listed
    assert pbem("webhook", "remove", "1").exit_code == 0
    assert registry.list_webhooks(house.site, HOST) == []
    gone = pbem("webhook", "remove", "1")
    assert (gone.exit_code, "There is no such webhook." in gone.output) == (1, True)


def test_the_command_refuses_a_webhook_url_that_may_not_be_called(pbem: Pbem) -> None:
    refused = pbem("webhook", "add", "http://127.0.0.1/")
    assert refused.exit_code == 1
    assert "https://" in refused.output
    assert "Traceback" not in refused.output


def test_the_host_can_disable_a_players_webhook_but_not_delete_it(pbem: Pbem, house: House) -> None:
    house.begin()
    alice = id_of(house, "Alice")
    made, _ = registry.add_webhook(house.site, alice, URL, ["moved"])
    assert pbem("webhook", "remove", str(made.id)).exit_code == 1
    assert pbem("webhook", "list").stdout == "There is no webhook.\n"
    assert str(alice) in pbem("webhook", "list", "--all").stdout
    assert pbem("webhook", "stop", str(made.id)).exit_code == 0
    stopped = registry.read_webhook(house.site, alice, made.id)
    assert (stopped.state, stopped.why) == ("disabled", "host")
    assert "disabled (host) since" in pbem("webhook", "list", "--all").stdout
    with pytest.raises(Forbidden):
        registry.change_webhook(house.site, alice, made.id, active=True)
    assert pbem("webhook", "enable", str(made.id)).exit_code == 0
    assert registry.read_webhook(house.site, alice, made.id).state == "active"


def test_the_command_enables_a_disabled_webhook_of_the_host(pbem: Pbem, house: House) -> None:
    pbem("webhook", "add", URL)
    pbem("webhook", "stop", "1")
    assert registry.read_webhook(house.site, HOST, 1).state == "disabled"
    assert pbem("webhook", "enable", "1").exit_code == 0
    assert registry.read_webhook(house.site, HOST, 1).state == "active"
