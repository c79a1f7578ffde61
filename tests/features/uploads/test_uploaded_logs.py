"""Who may upload a log, and what becomes of it when its player goes or its time is over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from pbem.errors import Unauthorized
from pbem.features.uploads import uploaded_logs
from pbem.features.uploads.tables import UploadedLogRow
from pbem.kit.logs.logfile import log_to_bytes
from pbem.models.tables import table
from pbem.services.privacy import erasure, retention
from pbem.services.who import STRANGER
from tests.kit.logs.logs import LOG
from tests.services.letterbox import id_of
from tests.services.privacy.rows import all_rows
from tests.table import House

DOCUMENT = log_to_bytes(LOG)
DAY = timedelta(days=1)


def number_of_logs(house: House) -> int:
    """The number of uploaded logs."""
    with house.site.reading() as session:
        return int(session.execute(select(func.count()).select_from(table(UploadedLogRow))).scalar_one())


def test_an_erased_player_cannot_upload_but_an_anonymous_reader_can(house: House) -> None:
    house.begin()
    bob = id_of(house, "Bob")
    assert bob is not None
    erasure.erase_player(house.site, bob)
    before = all_rows(house)
    with pytest.raises(Unauthorized):
        uploaded_logs.keep_log(house.site, bob, DOCUMENT)
    assert all_rows(house) == before
    assert (
        uploaded_logs.read_document(house.site, uploaded_logs.keep_log(house.site, STRANGER, DOCUMENT).id) == DOCUMENT
    )


def test_erasing_a_player_makes_their_uploaded_logs_anonymous(house: House) -> None:
    house.begin()
    bob = id_of(house, "Bob")
    assert bob is not None
    log_id = uploaded_logs.keep_log(house.site, bob, DOCUMENT).id
    erasure.erase_player(house.site, bob)
    assert uploaded_logs.read_document(house.site, log_id) == DOCUMENT
    with house.site.reading() as session:
        assert session.execute(select(table(UploadedLogRow).c.player_id)).all() == [(None,)]


@pytest.mark.parametrize("on", [True, False])
def test_retention_deletes_expired_logs_in_batches_even_with_uploads_off(
    make_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch, on: bool
) -> None:
    house = make_house(features=("uploads",) if on else ())
    old = house.clock()
    with house.site.writing() as session:
        session.add_all(
            UploadedLogRow(id=str(n), game="hogen", document=b"", at=old, until=old + n * DAY) for n in range(7)
        )
    house.clock.forward(days=5)
    with house.site.writing() as session:
        assert retention.all_sweeps()["logs"](session, house.clock.at, 3) == 3
    assert number_of_logs(house) == 4
    monkeypatch.setattr(retention, "AT_ONCE", 1)
    retention.delete_old_rows(house.site)
    assert number_of_logs(house) == 1
