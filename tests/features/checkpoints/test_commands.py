"""`pbem checkpoint`: two hosts and a stranger at their keyboards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pbem.features.checkpoints import cosigning, days, making, notes, published
from pbem.features.checkpoints.notes import Note, read_note
from pbem.services.site import Site
from tests.commands.conftest import Pbem
from tests.features.checkpoints.played import add_entry, add_matches, next_midnight
from tests.table import House, open_house

KEY = "127.0.0.1:8000/pbem"


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.fixture
def pbem(bare: Pbem, house: House) -> Pbem:
    """The command `pbem` on the house's database."""
    return bare


@pytest.fixture
def files(house: House, tmp_path: Path) -> dict[str, str]:
    """The files that a stranger has fetched from a site after three days: notes, list, keys, where a match stands."""
    site = house.site
    add_matches(site, ["aa", "bb", "cc"])
    for n in (2, 3, 4):
        making.make_checkpoint_of_today(site)
        (tmp_path / f"note{n - 1}").write_text(published.read_note(site), encoding="utf-8")
        house.clock.at = next_midnight(house.clock.at)
        add_entry(site, "aa", n)
    place = published.read_place_of_match(site, "bb", None)
    (tmp_path / "match").write_bytes(msgspec.json.encode(place))
    (tmp_path / "days").write_text(published.read_list_of_days(site), encoding="utf-8")
    return {name: str(tmp_path / name) for name in ("note1", "note2", "note3", "days", "match")}


@pytest.fixture
def other(house: House) -> Site:
    """Another host's site."""
    config = replace(
        house.site.config, url="https://other.example.org", secret="another secret of more than 32 letters"
    )
    return replace(house.site, config=config)


def key_of(site: Site) -> str:
    return str(notes.signer_of_own_checkpoints(site.config).key)


def test_the_keys_and_the_notes_of_the_site_are_printed(pbem: Pbem, house: House, files: dict[str, str]) -> None:
    said = pbem("checkpoint", "key").stdout
    assert said.splitlines()[0].split() == ["signatures", key_of(house.site)]
    assert said.splitlines()[1].split() == ["cosignatures", str(notes.cosigner_of_other_sites(house.site.config).key)]
    assert pbem("checkpoint", "show").stdout == Path(files["note3"]).read_text(encoding="utf-8")
    assert pbem("checkpoint", "show", "2026-03-12").stdout == Path(files["note1"]).read_text(encoding="utf-8")
    missing = pbem("checkpoint", "show", "2026-01-01")
    assert (missing.exit_code, "no checkpoint of this day" in missing.output) == (1, True)


def test_a_stranger_checks_signature_chain_and_match_without_a_site(
    bare: Pbem, house: House, files: dict[str, str]
) -> None:
    key = ("--key", key_of(house.site))
    alone = bare("checkpoint", "check", files["note1"], *key, "--match", files["match"])
    assert alone.exit_code == 0, alone.output
    assert alone.stdout.splitlines()[0] == f"Holds: checkpoint 1 of {KEY}, 2026-03-12."
    assert "match: its log stands in it up to entry 1" in alone.stdout
    chained = bare("checkpoint", "check", files["note2"], *key, "--previous", files["note1"])
    assert "previous: it continues number 1, 2026-03-12" in chained.stdout
    far = ("checkpoint", "check", files["note3"], *key, "--previous", files["note1"])
    assert "give the list with --days" in bare(*far).output
    whole = bare(*far, "--days", files["days"])
    assert whole.exit_code == 0, whole.output
    assert "days: the list leads to the root, 3 days" in whole.stdout


def test_a_failed_checkpoint_check_exits_with_1_and_a_sentence(
    bare: Pbem, house: House, files: dict[str, str], other: Site, tmp_path: Path
) -> None:
    def fails(*words: str, says: str) -> None:
        done = bare("checkpoint", "check", *words)
        assert done.exit_code == 1, done.output
        assert says in done.output
        assert "Holds" not in done.output

    key = ("--key", key_of(house.site))
    changed = tmp_path / "changed"
    changed.write_text(Path(files["note3"]).read_text(encoding="utf-8").replace("2026", "2027"), encoding="utf-8")
    fails(str(changed), *key, says="does not hold")
    fails(files["note3"], "--key", key_of(other), says="is not signed with the key other.example.org/pbem")
    fails(
        files["note3"], *key, "--cosigner", str(notes.cosigner_of_other_sites(other.config).key), says="is not signed"
    )
    fails(files["note1"], *key, "--previous", files["note2"], says="does not come before")
    fails(files["note1"], *key, "--previous", files["note1"], says="does not come before")
    fails(files["note3"], *key, "--match", files["match"], says="the match does not stand in this checkpoint")
    fails(files["note3"], *key, "--match", files["days"], says="no answer of /matches/")
    place = json.loads(Path(files["match"]).read_text(encoding="utf-8"))
    changed.write_text(json.dumps(place | {"n": 2}), encoding="utf-8")
    fails(files["note1"], *key, "--match", str(changed), says="does not stand in this checkpoint as it says")
    fails(files["note3"], *key, "--days", files["note1"], says="a day is written as")
    fails(files["days"], *key, says="a note is a text")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    fails(str(binary), *key, says="no text in UTF-8")
    short = Path(files["days"]).read_text(encoding="utf-8").splitlines(keepends=True)[1:]
    changed.write_text("".join(short), encoding="utf-8")
    fails(files["note3"], *key, "--days", str(changed), says="the list has only 2 days")


def test_a_replaced_history_of_checkpoints_fails_the_check(
    bare: Pbem, house: House, files: dict[str, str], tmp_path: Path
) -> None:
    """The host itself has signed both: each holds alone, and together they show it."""
    signer = notes.signer_of_own_checkpoints(house.site.config)
    first = days.parse_checkpoint(read_note(Path(files["note1"]).read_text(encoding="utf-8")).text)
    text = replace(first, day=replace(first.day, size=9)).text
    forged = tmp_path / "forged"
    forged.write_text(str(Note(text, (signer.signature_of(text, 0),))), encoding="utf-8")
    key = ("--key", key_of(house.site))
    assert bare("checkpoint", "check", str(forged), *key).exit_code == 0
    done = bare("checkpoint", "check", files["note2"], *key, "--previous", str(forged))
    assert (done.exit_code, "it was exchanged" in done.output) == (1, True)


def test_an_incompletely_copied_key_is_refused_as_argument(bare: Pbem, house: House, files: dict[str, str]) -> None:
    done = bare("checkpoint", "check", files["note1"], "--key", key_of(house.site)[:-4])
    assert (done.exit_code, "VKEY" in done.output or "--key" in done.output) == (2, True)


def test_two_hosts_cosign_notes_by_exchanging_files(
    pbem: Pbem, house: House, files: dict[str, str], other: Site, tmp_path: Path
) -> None:
    note = read_note(Path(files["note3"]).read_text(encoding="utf-8"))
    made = cosigning.cosign_note(other, note, notes.signer_of_own_checkpoints(house.site.config).key, None)
    sent, cosigner = tmp_path / "sent", str(notes.cosigner_of_other_sites(other.config).key)
    sent.write_text(str(made), encoding="utf-8")
    added = pbem("checkpoint", "add-signature", str(sent), "--key", cosigner)
    assert added.exit_code == 0, added.output
    assert added.stdout == str(made) == published.read_note(house.site)
    shown = pbem("checkpoint", "check", str(sent), "--key", key_of(house.site), "--cosigner", cosigner)
    assert "cosignature: other.example.org/pbem has cosigned it on 2026-03-1" in shown.stdout
    assert pbem("checkpoint", "add-signature", str(sent), "--key", key_of(other)).exit_code == 1


def test_a_host_cosigns_anothers_note_and_later_only_consistent_ones(
    pbem: Pbem, house: House, files: dict[str, str], tmp_path: Path
) -> None:
    key = ("--key", key_of(house.site))
    cosigned = pbem("checkpoint", "cosign", files["note2"], *key)
    assert cosigned.exit_code == 0, cosigned.output
    note = read_note(cosigned.stdout)
    assert len(note.signatures) == 2
    assert pbem("checkpoint", "cosign", files["note3"], *key).exit_code == 1
    assert pbem("checkpoint", "cosign", files["note3"], *key, "--days", files["days"]).exit_code == 0
    assert pbem("checkpoint", "cosign", files["note2"], *key, "--days", files["days"]).exit_code == 1
