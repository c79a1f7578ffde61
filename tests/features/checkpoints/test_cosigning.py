"""A host cosigns what continues the other's history, and publishes only what belongs to its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.features.checkpoints import cosigning, days, making, published
from pbem.features.checkpoints.days import Day
from pbem.features.checkpoints.notes import (
    BadNote,
    Note,
    check_signatures_of_one_key,
    cosigner_of_other_sites,
    read_note,
    signer_of_own_checkpoints,
)
from pbem.services.site import Site
from tests.features.checkpoints.played import add_entry, add_matches, next_midnight
from tests.table import House


@pytest.fixture
def other(house: House) -> Site:
    """The site of another host, on the same database: only what it cosigns counts here."""
    config = replace(
        house.site.config, url="https://other.example.org", secret="another secret of more than 32 letters"
    )
    return replace(house.site, config=config)


def days_and_notes(house: House, count: int) -> tuple[list[Day], list[Note]]:
    """Returns the list of days and the notes of a site after this many days."""
    add_matches(house.site, ["aa"])
    notes = []
    for number in range(count):
        house.clock.at = next_midnight(house.clock.at)
        add_entry(house.site, "aa", number + 2)
        making.make_checkpoint_of_today(house.site)
        notes.append(read_note(published.read_note(house.site)))
    return days.read_days(published.read_list_of_days(house.site)), notes


@pytest.mark.on_postgresql
def test_a_cosignature_is_made_sent_and_published(house: House, other: Site) -> None:
    listed, (note,) = days_and_notes(house, 1)
    key = signer_of_own_checkpoints(house.site.config).key
    cosigned = cosigning.cosign_note(other, note, key, None)
    mine = cosigner_of_other_sites(other.config).key
    assert check_signatures_of_one_key(cosigned, mine).at == int(house.clock.at.timestamp())
    assert mine.name == "other.example.org/pbem"
    assert cosigning.publish_cosignatures(house.site, cosigned, mine) == str(cosigned)
    assert published.read_note(house.site) == str(cosigned)
    assert cosigning.publish_cosignatures(house.site, cosigned, mine) == str(cosigned), "a second time changes nothing"
    assert published.read_note(house.site, listed[0].day) == str(cosigned)
    add_entry(house.site, "aa", 9)
    house.clock.at = next_midnight(house.clock.at)
    making.make_checkpoint_of_today(house.site)
    second = days.parse_checkpoint(read_note(published.read_note(house.site)).text)
    assert days.is_next_checkpoint(second, days.parse_checkpoint(note.text)), (
        "the chain is over texts, whoever signs them later"
    )


@pytest.mark.on_postgresql
def test_a_later_note_is_cosigned_only_if_the_list_of_days_leads_to_it(house: House, other: Site) -> None:
    listed, notes = days_and_notes(house, 4)
    key = signer_of_own_checkpoints(house.site.config).key
    cosigning.cosign_note(other, notes[1], key, None)
    cosigning.cosign_note(other, notes[1], key, None)
    with pytest.raises(BadNote, match="list of days is needed"):
        cosigning.cosign_note(other, notes[3], key, None)
    with pytest.raises(BadNote, match="do not lead"):
        cosigning.cosign_note(other, notes[3], key, [replace(listed[0], size=5), *listed[1:]])
    cosigning.cosign_note(other, notes[3], key, listed)
    for earlier in (notes[2], notes[1]):
        with pytest.raises(BadNote, match="number 4 was cosigned already"):
            cosigning.cosign_note(other, earlier, key, listed)
    cosigning.cosign_note(other, notes[1], key, None, anew=True)
    cosigning.cosign_note(other, notes[2], key, listed)


def test_a_site_that_signs_two_histories_gets_no_second_cosignature(house: House, other: Site) -> None:
    listed, notes = days_and_notes(house, 3)
    signer = signer_of_own_checkpoints(house.site.config)
    cosigning.cosign_note(other, notes[1], signer.key, listed)

    forged = [listed[0], replace(listed[1], size=5), listed[2]]
    history = [days.parse_checkpoint(note.text) for note in notes]
    second = replace(history[1], day=forged[1], root=days.root_of_days(forged[:2]))
    third = replace(history[2], root=days.root_of_days(forged), previous=days.hash_of_checkpoint_text(second.text))
    with pytest.raises(BadNote, match="signed two"):
        cosigning.cosign_note(other, Note(second.text, (signer.signature_of(second.text, 0),)), signer.key, forged)
    with pytest.raises(BadNote, match="do not lead"):
        cosigning.cosign_note(other, Note(third.text, (signer.signature_of(third.text, 0),)), signer.key, forged)
    unchained = replace(history[2], previous=days.hash_of_checkpoint_text(second.text))
    with pytest.raises(BadNote, match="does not name this text"):
        cosigning.cosign_note(
            other, Note(unchained.text, (signer.signature_of(unchained.text, 0),)), signer.key, listed
        )


def test_a_note_not_signed_by_the_other_site_is_not_cosigned(house: House, other: Site) -> None:
    _, (note,) = days_and_notes(house, 1)
    signer = signer_of_own_checkpoints(house.site.config)
    changed = note.text.replace("day 2026", "day 2027")
    with pytest.raises(BadNote, match="does not hold"):
        cosigning.cosign_note(other, Note(changed, note.signatures), signer.key, None)
    with pytest.raises(BadNote, match="is not signed"):
        cosigning.cosign_note(other, note, signer_of_own_checkpoints(other.config).key, None)
    stranger = signer_of_own_checkpoints(other.config)
    with pytest.raises(BadNote, match="the note is of"):
        cosigning.cosign_note(other, Note(note.text, (stranger.signature_of(note.text, 0),)), stranger.key, None)


def test_only_valid_cosignatures_of_our_own_notes_are_published(house: House, other: Site) -> None:
    _, (note,) = days_and_notes(house, 1)
    cosigner = cosigner_of_other_sites(other.config)
    for wrong in (note, Note(note.text, (replace(cosigner.signature_of(note.text, 1), data=bytes(72)),))):
        with pytest.raises(BadNote):
            cosigning.publish_cosignatures(house.site, wrong, cosigner.key)
    changed = note.text.replace("day 2026", "day 2027")
    theirs = note.text.replace("day 2026-03-13 1 ", "day 2026-03-13 2 ")
    for text in (changed, theirs):
        assert text != note.text
        with pytest.raises(BadNote, match="no checkpoint with this text"):
            cosigning.publish_cosignatures(house.site, Note(text, (cosigner.signature_of(text, 1),)), cosigner.key)
    assert published.read_note(house.site) == str(note)


@pytest.mark.long
def test_the_number_of_cosignatures_of_a_note_is_limited(house: House, other: Site) -> None:
    _, (note,) = days_and_notes(house, 1)
    cosigner = cosigner_of_other_sites(other.config)
    many = Note(note.text, tuple(cosigner.signature_of(note.text, at) for at in range(100)))
    with pytest.raises(BadNote, match="100 signatures"):
        cosigning.publish_cosignatures(house.site, many, cosigner.key)
