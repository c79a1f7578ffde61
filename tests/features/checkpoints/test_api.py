"""Where a match stands in the site's checkpoints, by the API."""

from __future__ import annotations

import pytest

from pbem.features.checkpoints import days, making
from pbem.features.checkpoints.notes import read_note
from tests.api.cast import Api, Begun, Table, json_of
from tests.web.cast import Web


@pytest.fixture
def hogen(web: Web, new_match: Begun) -> Table:
    """A match of three that has just begun."""
    return Table(Api(web.site), new_match.lay(web.site))


def test_readers_of_a_match_get_a_proof_that_it_stands_in_a_signed_note(hogen: Table) -> None:
    path = f"{hogen.path}/checkpoint"
    assert hogen.alice.get(path).status_code == 404
    making.make_checkpoint_of_today(hogen.api.site)
    place = json_of(hogen.alice.get(path))
    assert json_of(hogen.bob.get(path)) == place == json_of(hogen.charlie.get(path))
    said = days.parse_checkpoint(read_note(place["note"]).text)
    leaf = days.leaf_hash_of_match(place["commitment"], place["n"], place["head"])
    proof = [bytes.fromhex(step) for step in place["proof"]]
    assert days.root_from_proof(proof, leaf, place["leaf"], place["size"]) == said.day.root
    day_proof = [bytes.fromhex(step) for step in place["day_proof"]]
    assert days.root_from_proof(day_proof, said.day.leaf_hash, place["number"] - 1, place["number"]) == said.root
    assert place["day"] == said.day.day.isoformat()
    sheet = json_of(hogen.alice.get(hogen.path))
    assert (place["n"], place["commitment"]) == (sheet["version"], sheet["commitment"])


def test_the_api_document_lists_checkpoints_after_circles(web: Web) -> None:
    document = web.client().get("/api/v1/openapi.json").get_json()
    tags = [one["name"] for one in document["tags"]]
    assert tags[tags.index("circles") + 1] == "checkpoints"
