"""A host deletes a log that somebody has sent."""

import pytest

from pbem.errors import NotFound
from pbem.kit.logs.logfile import Log, write
from pbem.services.views import stored_logs
from pbem.services.who import STRANGER
from tests.commands.conftest import Pbem
from tests.table import House


def test_a_log_that_was_sent_is_thrown_away_once_the_host_says_yes(pbem: Pbem, house: House, played: Log) -> None:
    sent = stored_logs.keep(house.site, STRANGER, write(played)).id
    assert pbem("logs", "delete", sent, stdin="n\n").exit_code == 1
    assert stored_logs.read(house.site, sent)
    assert pbem("logs", "delete", sent, "--yes").stdout == "The log is gone.\n"
    with pytest.raises(NotFound):
        stored_logs.read(house.site, sent)
    for unknown in (sent, "x"):
        assert pbem("logs", "delete", unknown, "--yes").exit_code == 1
