"""Players can have what is stored about them, and nothing that is about others or opens anything."""

from __future__ import annotations

import msgspec
import pytest
from sqlmodel import SQLModel

from pbem.errors import Unauthorized
from pbem.models.tables import Player
from pbem.services.access import access_tokens
from pbem.services.privacy import erasure
from pbem.services.privacy.export import columns_for_export_through, columns_for_seat_export, export_player
from pbem.services.privacy.fates import all_fates
from pbem.services.site import Site
from pbem.services.views import talk
from tests.services.letterbox import id_of
from tests.table import House, claim_of

SECRET = {"digest", "epoch", "salt", "endpoint", "p256dh", "auth", "seed", "page_key", "canonical", "sealed", "raw"}
"""Columns that open something, or that nobody may see yet."""


def data_of_player(site: Site, player_id: int) -> str:
    """Returns the whole of a player's data as the page sends it."""
    return msgspec.json.encode(export_player(site, player_id)).decode()


def test_an_export_has_the_players_row_seats_messages_and_notes(house: House) -> None:
    match_id = house.begin()
    for seat, text in enumerate(("mine", "hers")):
        talk.post_message(house.site, claim_of(house.site, match_id, seat), f"said {text}")
        talk.write_note(house.site, claim_of(house.site, match_id, seat), f"noted {text}")
    alice = id_of(house, "Alice")
    found = export_player(house.site, alice)
    assert found["player"]["address"] == "alice@example.org"
    assert [(row["match_id"], row["seat"], row["name"]) for row in found["seats.player_id"]] == [(match_id, 0, "Alice")]
    assert [row["text"] for row in found["messages"] + found["notes"]] == ["said mine", "noted mine"]
    assert "hers" not in data_of_player(house.site, alice), "somebody else's words"
    assert "bob@" not in data_of_player(house.site, alice), "somebody else's address"


def test_an_export_lists_an_invitation_once_its_match_is_confirmed(house: House) -> None:
    match_id = house.create()
    for name, seats in (("Alice", [0]), ("Bob", [])):
        found = export_player(house.site, id_of(house, name))["seats.player_id"]
        assert [row["seat"] for row in found if row["match_id"] == match_id] == seats, name


def test_an_export_names_access_tokens_but_does_not_contain_them(house: House) -> None:
    house.begin()
    alice = id_of(house, "Alice")
    token = access_tokens.create_token(house.site, alice, "my bot", ["read"], None)[1] or ""
    assert token
    assert '"my bot"' in data_of_player(house.site, alice)
    assert token not in data_of_player(house.site, alice)
    assert access_tokens.token_digest(token) not in data_of_player(house.site, alice)


def test_after_an_erasure_there_is_nothing_to_export(house: House) -> None:
    house.begin()
    alice = id_of(house, "Alice")
    erasure.erase_player(house.site, alice)
    with pytest.raises(Unauthorized):
        export_player(house.site, alice)


def test_every_table_with_player_data_declares_its_part_of_the_export() -> None:
    silent = [name for name, fate in all_fates().items() if fate.export is None]
    assert not silent, f"say what a player gets of these rows with their data, () for nothing: {silent}"


def test_every_table_with_seat_rows_declares_its_part_of_the_export() -> None:
    fated = {name.split(".")[0] for name in all_fates()}
    seated = {one.name for one in SQLModel.metadata.tables.values() if {"match_id", "seat"} <= {*one.c.keys()}}
    assert seated - fated == columns_for_seat_export().keys(), (
        "say what a seat's player gets of these rows, () for nothing"
    )


def test_rows_that_belong_to_a_players_row_declare_what_is_exported() -> None:
    fated = {name.split(".")[0] for name in all_fates()}
    owners = {name.split(".")[0] for name in all_fates() if name.endswith(".player_id")} - {"seats"}
    through = {
        f"{one.name}.{key.parent.name}"
        for one in SQLModel.metadata.tables.values()
        if one.name not in fated | columns_for_seat_export().keys()
        for key in one.foreign_keys
        if key.column.table.name in owners
    }
    assert through == columns_for_export_through().keys(), "say what a player gets of these rows, () for nothing"


def test_an_export_has_every_column_of_the_players_row_but_two(house: House) -> None:
    house.begin()
    assert (
        export_player(house.site, id_of(house, "Alice"))["player"].keys() | {"canonical", "epoch"}
        == Player.model_fields.keys()
    )


def test_every_exported_column_exists_and_is_no_secret() -> None:
    told = {name: fate.export or () for name, fate in all_fates().items()}
    for name, columns in (told | columns_for_seat_export() | columns_for_export_through()).items():
        name = name.split(".")[0]
        assert set(columns) <= set(SQLModel.metadata.tables[name].c.keys()), name
        assert not SECRET & set(columns), name
