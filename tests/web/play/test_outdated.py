"""A server that a migration has left behind refuses a move with a sentence and a code, and shows what it can."""

from __future__ import annotations

from sqlalchemy import text

from tests.harness.rows import every_row
from tests.web.cast import Web, choose_move, press_only_button


def test_a_program_older_than_its_database_refuses_moves_as_outdated(web: Web, hogen: str) -> None:
    client, path = web.client(), web.link("play", hogen, 0)
    page = choose_move(client, path, lambda hrefs: hrefs[0])
    form = page.form("confirm")
    assert form is not None
    with web.site.engine.begin() as connection:
        connection.execute(text("UPDATE schema_floor SET revision = '9000'"))
        connection.execute(text("UPDATE alembic_version SET version_num = '9000'"))
    before = every_row(web.site.engine)
    refused = press_only_button(client, page)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "30")
    assert "older than its database" in refused.text
    answer = client.post(
        f"/api/v1/matches/{hogen}/moves",
        json={"key": form.fields["key"], "text": "F1"},
        headers={"Authorization": f"Bearer {path.rpartition('/')[2]}"},
    )
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"], answer.headers["Retry-After"]) == (503, "outdated", "30")
    assert every_row(web.site.engine) == before
    assert client.get(f"/match/{hogen}").status_code == 200
    ready = client.get("/readyz")
    assert ready.json is not None
    assert (ready.status_code, ready.json["status"], ready.json["schema"]) == (503, "unready", "ahead")
    assert "9000 or later" in ready.json["why"]
    with web.site.engine.begin() as connection:
        connection.execute(text("UPDATE schema_floor SET revision = '0022'"))  # a migration that both can live with
    assert client.get("/readyz").status_code == 200
    assert press_only_button(client, page).status_code == 303
