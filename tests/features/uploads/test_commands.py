"""`pbem logs`: a host deletes a log that somebody has uploaded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.errors import NotFound
from pbem.features.uploads import uploaded_logs
from pbem.kit.logs.logfile import log_to_bytes
from pbem.services.who import STRANGER
from tests.commands.conftest import Pbem
from tests.kit.logs.logs import LOG
from tests.table import House, open_house


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.fixture
def pbem(bare: Pbem, house: House) -> Pbem:
    """The command `pbem` on the house's database."""
    return bare


def test_the_host_deletes_an_uploaded_log_after_confirming(pbem: Pbem, house: House) -> None:
    sent = uploaded_logs.keep_log(house.site, STRANGER, log_to_bytes(LOG)).id
    assert pbem("logs", "delete", sent, stdin="n\n").exit_code == 1
    assert uploaded_logs.read_document(house.site, sent)
    assert pbem("logs", "delete", sent, "--yes").stdout == "The log is gone.\n"
    with pytest.raises(NotFound):
        uploaded_logs.read_document(house.site, sent)
    for unknown in (sent, "x"):
        assert pbem("logs", "delete", unknown, "--yes").exit_code == 1
