"""No page is put out of order by a name that is read from right to left, and no field of a form holds an isolate."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import String, update
from sqlmodel import AutoString, SQLModel

from pbem.services.views import talk
from tests.api.cast import NOON, Api, Entropy, json_of, open_site_of
from tests.api.stage import CUP
from tests.harness.servers import copy_sqlite
from tests.render.right_to_left import lines_with_strays, strays_of_page
from tests.table import MovedClock, claim_of
from tests.web.cast import Web
from tests.web.everywhere import Everywhere

NAMES = {"Alice": "אליס -2", "Bob": "بوب", "Carol": "كارول ٣", "Les Lacs": "האגמים", "Zoe": "זואי", "Charlie": "צ׳רלי"}


def rename_everybody(web: Web) -> None:
    """Gives everybody, and the circle, another name wherever the database has theirs."""
    with web.site.writing() as work:
        for table in SQLModel.metadata.sorted_tables:
            for column in table.columns:
                if isinstance(column.type, String | AutoString) and not column.primary_key:
                    for old, new in NAMES.items():
                        work.execute(update(table).where(column == old).values({column.name: new}))


@pytest.mark.long
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)], ids=["every fourth", "every"])
def test_right_to_left_names_reorder_no_page(everywhere: Everywhere, step: int, tmp_path: Path) -> None:
    copy_sqlite(Path(str(everywhere.web.site.engine.url.database)), tmp_path / "pbem.db")
    web = Web(open_site_of(tmp_path, MovedClock(NOON), Entropy()))
    rename_everybody(web)
    running = everywhere.matches["running"]
    talk.post_message(web.site, claim_of(web.site, running, 1), "שלום −2\nAlice: 3")
    talk.write_note(web.site, claim_of(web.site, running, 0), "בוב -2")
    client, found, named = web.client(), {}, 0
    kinds: dict[str, list[str]] = {}
    for path in everywhere.paths:
        kinds.setdefault(path.split("/")[1].split("?")[0], []).append(path)
    for path in [one for paths in kinds.values() for one in paths[::step]]:
        answer = client.get(path)
        assert answer.status_code == 200, path
        named += any(name in answer.text for name in NAMES.values()) or "\u2068" in answer.text
        if wrong := strays_of_page(answer.text):
            found[path[:60]] = wrong[:2]
    web.site.engine.dispose()
    assert found == {}
    assert named > 20


@pytest.mark.long
def test_right_to_left_names_reorder_no_league_page_and_no_api_text(everywhere: Everywhere, tmp_path: Path) -> None:
    copy_sqlite(Path(str(everywhere.web.site.engine.url.database)), tmp_path / "pbem.db")
    rest = Api(open_site_of(tmp_path, MovedClock(NOON), Entropy()))
    rename_everybody(Web(rest.site))
    alice = rest.caller(rest.site.tokens.for_account(1, 0, NOON))
    league = json_of(alice.post("/leagues", CUP | {"name": "ליגה -2"}), 201)
    season = league["seasons"][0]["id"]
    json_of(alice.post(f"/seasons/{season}/entrants", {"name": NAMES["Alice"]}), 201)
    pages = [rest.app.test_client().get(path).text for path in (f"/league/{league['id']}", f"/season/{season}")]
    over = everywhere.matches["over"]
    story = "\n".join(line["text"] for line in json_of(rest.caller().get(f"/matches/{over}/story"))["lines"])
    rest.site.engine.dispose()
    assert [strays_of_page(page) for page in pages] == [[], []]
    assert ["\u2068" in said for said in (*pages, story)] == [True, True, True]
    assert lines_with_strays(story) == []
