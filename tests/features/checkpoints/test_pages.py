"""The pages of checkpoints: plain text that other programs read, in no language."""

from __future__ import annotations

import pytest

from pbem.features.checkpoints import days, making, notes
from pbem.features.checkpoints.notes import check_signatures_of_one_key, read_key, read_note
from tests.features.checkpoints.played import add_matches
from tests.web.cast import Web


def test_the_latest_note_the_days_and_the_keys_are_consistent_plain_text(web: Web) -> None:
    add_matches(web.site, ["aa"])
    making.make_checkpoint_of_today(web.site)
    client = web.client()
    answers = {path: client.get(f"/checkpoint{path}") for path in ("", "/days", "/key", "/cosigner-key")}
    for answer in answers.values():
        assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
    note = read_note(answers[""].text)
    check_signatures_of_one_key(note, read_key(answers["/key"].text))
    said = days.parse_checkpoint(note.text)
    days.check_days_lead_to_root(days.read_days(answers["/days"].text), said)
    assert read_key(answers["/cosigner-key"].text) == notes.cosigner_of_other_sites(web.site.config).key
    assert client.get(f"/checkpoint/{said.day.day}").text == answers[""].text
    known = client.get("/checkpoint", headers={"If-None-Match": answers[""].headers["ETag"]})
    assert (known.status_code, known.text) == (304, "")


def test_before_the_first_checkpoint_the_page_says_so(web: Web) -> None:
    assert web.client().get("/checkpoint").status_code == 404
    assert web.client().get("/checkpoint/days").text == ""
    said = web.client().get("/checkpoint", headers={"Accept-Language": "fr"})
    assert "pas encore de point de contrôle" in said.text


@pytest.mark.parametrize("day", ["2026-01-01", "20260101", "2026-13-01", "2026-W01-1", "today", "%00", "é"])
def test_a_day_without_a_checkpoint_and_what_is_no_day_are_not_found(web: Web, day: str) -> None:
    making.make_checkpoint_of_today(web.site)
    assert web.client().get(f"/checkpoint/{day}").status_code == 404
