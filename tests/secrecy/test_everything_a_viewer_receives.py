"""The secrecy law, end to end: on two worlds that differ only in what a viewer may not see, everything they can
receive is byte-equal: pages, API answers with their headers, refusals, previews, mails with their pictures, their
list of matches, the output of a host's commands.

A world is a copy of the database in which the log has other hidden cards, and the stored answers are the moves that
led there; ids, secret, clock and outbox are the same. The result of a move may differ where the rules allow it
(who passes after a call), so only the moves that a game's `worlds` module names in `BLIND_MOVES` are played in both
worlds and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Viewer
from pbem.kit.folds import Part
from pbem.kit.logs import chain
from pbem.kit.replay import redact_entries
from pbem.services.log import proofs, store
from pbem.services.log.table import Step
from pbem.services.play import decisions
from tests.secrecy.received import (
    LENGTHS,
    Received,
    a_match_with_other_worlds,
    answers_of,
    authorization_header,
    client_of,
    compare_received,
    copy_with,
    full_log,
    reopen_mail,
    tables_to_compare,
    what_is_received,
    worlds_of,
)
from tests.secrecy.received import (
    parts as parts,
)
from tests.table import House


@pytest.mark.long
@pytest.mark.parametrize(("game", "at", "everybody"), tables_to_compare(left=(0, 2)))
def test_a_viewer_receives_the_same_bytes_in_two_worlds_that_look_alike(
    game: AnyGame, at: int, everybody: bool, house: House, tmp_path: Path
) -> None:
    compare_worlds(house, tmp_path, game, at, everybody)


def test_a_viewer_receives_the_same_bytes_in_one_games_lookalike_worlds(house: House, tmp_path: Path) -> None:
    """In every run."""
    compare_worlds(house, tmp_path, all_games()["hogen"], LENGTHS.index(6), everybody=False)


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=[] if slug == "allegeance" else [pytest.mark.long]) for slug in all_games()]
)
def test_stored_folds_give_a_viewer_the_same_bytes_in_lookalike_worlds(
    house: House, tmp_path: Path, slug: str, noted: bool, parts: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without what is noted of answers for who takes them back."""
    if not noted:
        monkeypatch.setattr(decisions, "Step", lambda *given: Step(*given[:5]))
    compare_worlds(house, tmp_path, all_games()[slug], LENGTHS.index(14), everybody=False)
    assert parts, "kept folds are of use"


def compare_worlds(house: House, tmp_path: Path, game: AnyGame, at: int, everybody: bool) -> None:
    """Compares all that each viewer receives in a match with what they receive in another that looks alike to them."""
    blind = worlds_of(game.meta.slug).BLIND_MOVES
    match_id, pairs = a_match_with_other_worlds(house, game, at, everybody)
    for number, (viewer, other) in enumerate(pairs):
        there = copy_with(house, match_id, other, tmp_path / f"{number}")
        for here in (house, there):
            reopen_mail(here, viewer)
        got, got_there = (what_is_received(here, match_id, viewer, everybody) for here in (house, there))
        compare_received(got, got_there)
        assert_nothing_opens_a_seal(house, match_id, viewer, got)
        compare_received(*(after_a_move(here, tmp_path, match_id, viewer, blind, everybody) for here in (house, there)))
        there.site.engine.dispose()


def assert_nothing_opens_a_seal(house: House, match_id: str, viewer: Viewer, got: Received) -> None:
    """Fails if the viewer got the salt of a value that they may not see, or what all salts follow from.

    With a salt, somebody could try all cards until one gives the seal. As little may two seals share a salt: they would
    tell that a value, a hand say, is as it was.
    """
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        key, seals = proofs.keys_of(match).luck, proofs.read_seals(session, match_id)
    every_seal = [one for _, sealed, _ in seals for one in sealed.values()]
    assert len({*every_seal}) == len(every_seal), "ideal seals are alike where their salts are"
    entries = full_log(house, match_id)
    shown = {entry.n: chain.salts_shown_from_key(key, entry, dict(sealed)) for entry, (_, sealed, _) in zip(
        redact_entries(entries, viewer), seals, strict=True)}  # fmt: skip
    secret = [match.seed.hex(), key.hex()]
    secret += [chain.salt_of_value(key, n, path) for n, sealed, _ in seals for path in sealed if path not in shown[n]]
    everything = repr(got)
    assert house.view(match_id, viewer).sheet.over or not [one for one in secret if one in everything]


def after_a_move(
    house: House, folder: Path, match_id: str, viewer: Viewer, blind: Sequence[str], all_refusals: bool
) -> Received:
    """Returns the receipt of the viewer's first move of a blind kind, played on a copy; {} if there is none."""
    view = house.view(match_id, viewer)
    move = next((m for m in view.legal() if type(m).__name__ in blind), None)
    if view.ask is None or move is None:
        return {}
    copy = copy_with(house, match_id, full_log(house, match_id), folder / "played")
    client = client_of(copy)
    body = {"key": view.ask.key, "text": view.game.format(move)}
    response = client.post(
        f"/api/v1/matches/{match_id}/moves", json=body, headers=authorization_header(copy, match_id, viewer)
    )
    assert response.status_code == 201, response.data
    out = {"receipt": response.data, **what_is_received(copy, match_id, viewer, all_refusals)}
    copy.site.engine.dispose()
    return out


@pytest.mark.long
def test_the_comparison_notices_worlds_that_differ_for_a_viewer(house: House, tmp_path: Path) -> None:
    """The comparison itself can fail: Alice may see what Bob may not."""
    worlds = worlds_of("hogen")
    match_id = house.begin(3)
    other = next(iter(worlds.worlds(full_log(house, match_id), 1, 1)))
    there = copy_with(house, match_id, other, tmp_path / "there")
    with pytest.raises(AssertionError, match="two worlds differ"):
        compare_received(what_is_received(house, match_id, 0), what_is_received(there, match_id, 0))
    there.site.engine.dispose()


@pytest.mark.long
def test_the_compared_worlds_have_different_legal_moves(house: House, tmp_path: Path) -> None:
    """A leak of a player's answer would be found: the stored answers differ where the moves were secret."""
    game = all_games()["hogen"]
    match_id, pairs = a_match_with_other_worlds(house, game, LENGTHS.index(6), everybody=True)
    true = answers_of(house, match_id)
    differing = set()
    for number, (viewer, other) in enumerate(pairs):
        there = copy_with(house, match_id, other, tmp_path / str(number))
        answers = answers_of(there, match_id)
        assert answers.keys() == true.keys()
        differing |= {(viewer, seat) for (key, seat), answer in answers.items() if answer != true[key, seat]}
        there.site.engine.dispose()
    assert differing
    assert all(viewer != seat for viewer, seat in differing)
