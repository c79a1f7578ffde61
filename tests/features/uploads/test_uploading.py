"""Uploading a log from a file: it is kept for a day and can be watched; every fault in it has a message."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from collections.abc import Callable
from functools import cache
from html import unescape
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, select, update
from werkzeug.test import TestResponse

from pbem.features.lab.sealing import redact_log
from pbem.features.uploads import uploaded_logs
from pbem.features.uploads.tables import UploadedLogRow
from pbem.features.uploads.uploaded_logs import LogReplay
from pbem.games import all_games
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import mark_of, word_from_seed
from pbem.kit.logs.logfile import Log, log_to_bytes
from pbem.kit.logs.verdict import verify
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.kit.texts import Lang
from pbem.models.tables import table
from pbem.services.views.replays import Step
from tests.harness.cases import cases
from tests.harness.growth import LINEAR, growth_of_cpu_time
from tests.kit.logs.logs import LOG, SOME, long_log
from tests.kit.proof.forging import with_entries
from tests.table import MovedClock
from tests.transcripts import folder_of_transcripts, log_of, log_with_untellable_story, play_match, seed_of
from tests.web.cast import Page, Web

SLOW_HERE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

OPEN = "/replay/open"
OLDER = folder_of_transcripts(all_games()["hogen"]) / "found.json"
"""A log of the format before marks and lucky words."""
DOCUMENT: dict[str, Any] = json.loads(log_to_bytes(LOG))


def post_file(web: Web, data: bytes, lang: str = "en") -> TestResponse:
    """Sends the form with this file; returns the answer."""
    return web.client(lang).post(OPEN, data={"file": (io.BytesIO(data), "log.json")})


def open_log(web: Web, data: bytes, lang: str = "en") -> str:
    """Returns the page on which the log of this file is watched."""
    answer = post_file(web, data, lang)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def watch_file(web: Web, data: bytes, lang: str = "en", query: str = "") -> TestResponse:
    """Returns the page for a reader who opens this file: the log, or what is wrong with it."""
    answer = post_file(web, data, lang)
    return web.client(lang).get(answer.headers["Location"] + query) if answer.status_code == 303 else answer


def for_viewer(viewer: int | None) -> Log:
    """The log as this viewer downloads it while the match runs."""
    return redact_log(LOG, viewer)


def test_a_log_file_is_opened_by_a_plain_form_and_kept_for_a_day(web: Web, clock: MovedClock) -> None:
    form = Page(web.client().get(OPEN).text).forms[0]
    assert (form.action, form.method, set(form.fields)) == (OPEN, "post", {"file"})
    path = open_log(web, log_to_bytes(LOG))
    clock.forward(hours=23, minutes=59)
    answer = web.client().get(path)
    assert answer.status_code == 200
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert "Player A" in Page(answer.text).words
    clock.forward(minutes=1)
    assert web.client().get(path).status_code == 404
    with web.site.writing() as session:
        assert uploaded_logs.forget_old(session, web.site.now(), 9) == 1


@pytest.mark.long
def test_a_site_that_has_no_room_for_logs_says_so(make_web: Callable[..., Web]) -> None:
    full = make_web(of_features={"PBEM_LOGS_MB": 1})
    open_log(full, log_to_bytes(LOG))
    with full.site.writing() as session:
        session.execute(update(table(UploadedLogRow)).values(size=500_000))
    answer = post_file(full, log_to_bytes(LOG))
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert "There is no space for more logs at the moment." in Page(answer.text).words


@pytest.mark.long
@pytest.mark.parametrize("fill", ["PRAGMA query_only = ON", "PRAGMA max_page_count = 1"], ids=["read-only", "full"])
def test_a_log_upload_at_a_read_only_or_full_site_says_so(web: Web, fill: str) -> None:
    assert web.site.engine.url.database
    sqlite3.connect(web.site.engine.url.database, isolation_level=None).execute("VACUUM")  # no page is left over
    event.listen(web.site.engine, "checkout", lambda connection, *_: connection.execute(fill))
    data = json.dumps(sample_logs()[0]).encode()
    post_file(web, data)  # the table's first page has room for one
    answer = post_file(web, data)
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "Nothing can be stored here just now" in Page(answer.text).words


@pytest.mark.long
@pytest.mark.parametrize("slug", list(all_games()))
def test_an_uploaded_log_of_every_game_opens_and_verifies(web: Web, slug: str) -> None:
    game = all_games()[slug]
    table = play_match(game, min(game.meta.seats), seed_of(slug, 2, 1))
    for lang, holds in (("en", "follow from the sealed number"), ("fr", "découlent du nombre scellé")):
        answer = watch_file(web, log_to_bytes(log_of(table)), lang)
        assert answer.status_code == 200
        assert holds in answer.text


@pytest.mark.parametrize(
    ("lang", "agrees", "nothing", "unchecked"),
    [
        ("en", "The log agrees with itself:", "Nothing here shows that this match was played", "Not checked:"),
        ("fr", "Le journal est cohérent :", "Rien ici ne montre que cette partie a été jouée", "Non vérifié :"),
    ],
)
def test_a_consistent_log_is_called_consistent_and_lists_what_is_unchecked(
    web: Web, lang: Lang, agrees: str, nothing: str, unchecked: str
) -> None:
    said = unescape(Page(watch_file(web, log_to_bytes(LOG), lang).text).words).replace("\u00a0", " ")
    assert agrees in said
    assert nothing in said
    assert LOG.commitment in said.split(), "all of it, to be compared with a mail"
    verdict, listed = verify(LOG), said.split(unchecked)[1]
    for check in verdict.checks:
        assert check.count == 0 or str(check.count) in said.split(unchecked)[0].split()
    for what, words in NOT_CHECKED.items():
        assert (" ".join(words[lang].split()).replace("\u00a0", " ") in listed) == (what in verdict.not_checked)
    for claim in ("was committed to before the match", "engagée avant la partie", "Is it true?"):
        assert claim not in said


@pytest.mark.parametrize(("lang", "wait"), [("en", "before the end"), ("fr", "avant la fin")])
def test_the_log_of_a_running_match_cannot_be_checked_before_the_end(web: Web, lang: str, wait: str) -> None:
    running = with_entries(LOG, LOG.entries[: len(LOG.entries) // 2])
    for viewer_ in (0, None):
        said = Page(watch_file(web, log_to_bytes(redact_log(running, viewer_)), lang).text).words
        assert wait in said
        assert "agrees with itself" not in said
        assert "est cohérent" not in said


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_log_of_the_older_format_lists_its_checks_and_has_no_marks(web: Web, lang: Lang) -> None:
    data = OLDER.read_bytes()
    path, verdict = open_log(web, data, lang), verify(uploaded_logs.open_log(data))
    assert verdict.ok
    said = Page(web.client(lang).get(path).text).words
    assert str(verdict.count("facts")) in said.split()
    assert str(verdict.count("luck")) in said.split()
    assert " ".join(NOT_CHECKED["table_luck"][lang].split()) in said
    none = {"en": "Logs of this older format have no marks", "fr": "Un journal de cet ancien format n’a ni marques"}
    assert none[lang] in Page(web.client(lang).get(f"{path}?mail=7K3M-9QXT").text).words
    commitment = json.loads(data)["seed_sha256"]
    assert {"en": "Yes, your", "fr": "Oui, votre"}[lang] in web.client(lang).get(f"{path}?mail={commitment}").text


@pytest.mark.long
@pytest.mark.parametrize("viewer_", ["all", 0, None])
def test_a_mark_or_commitment_from_a_mail_is_found_in_an_opened_log(web: Web, viewer_: int | str | None) -> None:
    log = LOG if isinstance(viewer_, str) else redact_log(LOG, viewer_)
    path, heads = open_log(web, log_to_bytes(log)), LOG.heads()
    page = Page(web.client().get(f"{path}?mail={mark_of(heads[SOME])}&step=1").text)
    assert "Yes: at this step the match had this mark." in page.words
    (found,) = re.findall(r'<a href="([^"]+)">Step \d+ of the replay', page.text)
    assert "mail=" not in found
    assert web.client().get(unescape(found)).status_code == 200
    assert "Yes, your email agrees" in web.client().get(f"{path}?mail={LOG.commitment}").text
    assert "No: this match never had this mark" in web.client().get(f"{path}?mail={'0' * 64}").text
    assert "No. Nobody here has this lucky word" in web.client().get(f"{path}?mail=hello").text
    assert LOG.seed is not None
    word = word_from_seed(LOG.seed, 1)
    assert "the word that counts for Player B." in web.client().get(f"{path}?mail={word}").text


@pytest.mark.long
def test_a_full_log_is_watched_through_any_eyes(web: Web) -> None:
    path = open_log(web, log_to_bytes(LOG))
    bob = Page(web.client().get(f"{path}?viewer=1&step=1").text)
    told = [text for text in bob.words.split("Player ") if "hides an ally" in text]
    assert "Player B hides an ally:" in bob.words
    assert len(told) == 3
    assert bob.words.count("hides an ally:") == 1


@pytest.mark.long
@pytest.mark.parametrize(("viewer_", "other"), [(0, "1"), (None, "all")])
def test_a_viewers_own_log_opens_with_their_eyes_alone(web: Web, viewer_: int | None, other: str) -> None:
    path = open_log(web, log_to_bytes(for_viewer(viewer_)))
    page = Page(web.client().get(path).text)
    assert page.hrefs("eyes") == []
    assert "made for one viewer" in page.words
    assert "Its content is not verified" in page.words
    assert "only the full log of a finished match" in page.words
    assert web.client().get(f"{path}?viewer={other}").status_code == 403


@pytest.mark.long
def test_a_log_with_another_seed_opens_and_says_so(web: Web) -> None:
    forged = log_to_bytes(msgspec.structs.replace(LOG, seed=bytes(32)))
    assert "not the one that was committed to" in watch_file(web, forged).text
    assert "engagée" in watch_file(web, forged, "fr").text


def test_a_forged_event_in_a_log_is_named_by_its_entry(web: Web) -> None:
    at = next(i for i, e in enumerate(LOG.entries) if type(e.event).__name__ == "Began")
    document = json.loads(log_to_bytes(LOG))
    document["events"][at]["event"]["seat"] = (LOG.entries[at].event.seat + 1) % 3
    answer = watch_file(web, json.dumps(document).encode())
    assert answer.status_code in (200, 422)
    assert "Entry " in answer.text


# --- what is refused ---------------------------------------------------------------------------------------------


def change_log(change: Callable[[dict[str, Any]], Any]) -> bytes:
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return json.dumps(document).encode()


DAMAGED = {
    "no JSON": (b"GIF89a", "not a log document", "ce n’est pas un journal"),
    "no log": (b"{}", "not a log document", "ce n’est pas un journal"),
    "other format": (change_log(lambda d: d.update(format="pbem-log/9")), "the format is", "le format est"),
    "unknown game": (change_log(lambda d: d.update(game="chess")), "no game here is called", "aucun jeu d’ici"),
    "missing": (
        change_log(lambda d: d["events"].pop(3)),
        "Entry 4: it is numbered 5",
        "Entrée 4 : elle porte le numéro 5",
    ),
    "unreadable": (
        change_log(lambda d: d["events"][6].pop("event")),
        "Entry 7: it cannot be read",
        "Entrée 7 : elle ne se lit pas",
    ),
    "no such seat": (
        change_log(lambda d: d["events"][2]["event"].update(seat=9)),
        "Entry 3: there is no seat 9",
        "Entrée 3 : il n’y a pas de place 9",
    ),
    "no story": (log_with_untellable_story(), "it cannot be told", "elle ne peut pas être racontée"),
    "too long": (b" " * (logfile.MAX_BYTES + 1), "at most", "au plus"),
}


@cases("data, english, french", DAMAGED.values())
def test_a_damaged_log_is_refused_with_the_entry_and_the_reason(
    web: Web, data: bytes, english: str, french: str
) -> None:
    for lang, words in (("en", english), ("fr", french)):
        answer = post_file(web, data, lang)
        assert answer.status_code == 422
        assert words in Page(answer.text).words
        assert 'type="file"' in answer.text
        assert "Traceback" not in answer.text
    with web.site.reading() as session:
        assert session.execute(select(table(UploadedLogRow).c.id)).all() == []


def test_a_log_that_breaks_at_a_step_says_which_entry_is_wrong(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end is drawn before a log is stored; a fault elsewhere shows at its step."""
    path, board = open_log(web, log_to_bytes(LOG)), LogReplay.board

    def broken(self: LogReplay, step: Step, *how: Any) -> Any:
        if step.n == 3:
            raise KeyError("no such card")
        return board(self, step, *how)

    monkeypatch.setattr(LogReplay, "board", broken)
    assert web.client().get(f"{path}?step=2").status_code == 200
    answer = web.client().get(f"{path}?step=3")
    assert answer.status_code == 422
    assert "Entry 3: the position it leads to cannot be drawn" in Page(answer.text).words
    assert web.client().get(f"{path}/frames.json?from=1").status_code == 422


def test_the_upload_form_without_a_file_is_refused(web: Web) -> None:
    for data in ({}, {"file": (io.BytesIO(b""), "")}):
        answer = web.client().post(OPEN, data=data, content_type="multipart/form-data")
        assert answer.status_code == 422
        assert "no file was chosen" in Page(answer.text).words


def test_an_upload_larger_than_any_log_is_refused_before_it_is_read(web: Web) -> None:
    assert post_file(web, b" " * (web.app.config["MAX_CONTENT_LENGTH"] + 1)).status_code == 413


def test_names_and_markup_in_an_uploaded_log_are_escaped(web: Web) -> None:
    evil = "<script>alert(1)</script>{0}"
    for data in (
        change_log(lambda d: d.update(game=evil)),
        change_log(lambda d: d.update(format=evil)),
        change_log(lambda d: d["events"][1]["event"].update(card=evil)),
        change_log(lambda d: d["events"][1].update(key=evil)),
        change_log(lambda d: d["events"][1].update(at=evil)),
    ):
        assert "<script>alert" not in watch_file(web, data).text


def mutate_log(draw: Callable[..., Any], document: dict[str, Any]) -> bytes:
    """Returns the log with some scalars of its entries replaced by others from it, or with entries moved."""
    events = document["events"]
    for _ in range(draw(st.integers(1, 3))):
        a, b = draw(st.integers(0, len(events) - 1)), draw(st.integers(0, len(events) - 1))
        kind = draw(st.sampled_from(["swap", "copy", "drop", "field", "cut"]))
        if kind == "swap":
            events[a]["event"], events[b]["event"] = events[b]["event"], events[a]["event"]
        elif kind == "copy":
            events[a] = {**json.loads(json.dumps(events[b])), "n": a + 1}
        elif kind == "drop" and len(events) > 2:
            events.pop(a)
        elif kind == "cut":
            del events[max(a, 1) :]
        else:
            event = events[a]["event"]
            field = draw(st.sampled_from(sorted(event)))
            other = events[b]["event"]
            event[field] = draw(
                st.one_of(st.sampled_from([other[f] for f in sorted(other)]), st.integers(-2, 99), st.none())
            )
        for n, event in enumerate(events, 1):
            event["n"] = n
    return json.dumps(document).encode()


@cache
def sample_logs() -> list[Any]:
    """A log of a whole match of every game."""
    return [
        json.loads(log_to_bytes(log_of(play_match(game, max(game.meta.seats), seed_of(slug, 3, 2)))))
        for slug, game in all_games().items()
    ]


@pytest.mark.long
@pytest.mark.parametrize("examples", [15, pytest.param(400, marks=pytest.mark.long)])
def test_no_mutated_log_causes_a_server_error(web: Web, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=SLOW_HERE)
    @given(data=st.data())
    def open_one(data: st.DataObject) -> None:
        see_mutated(web, data)

    open_one()


def see_mutated(web: Web, data: st.DataObject) -> None:
    """Opens a mutated log and checks that it is shown or refused."""
    document = json.loads(json.dumps(data.draw(st.sampled_from(sample_logs()))))
    forged = mutate_log(data.draw, document)
    step, eyes = data.draw(st.integers(1, 400)), data.draw(st.sampled_from(["", "0", "none"]))
    stored = post_file(web, forged)
    if stored.status_code != 303:
        assert stored.status_code == 422
        return
    path = stored.headers["Location"]
    answer = web.client().get(f"{path}?step={step}&viewer={eyes}")
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        last = next(known["data-last"] for _, known in Page(answer.text).tags if "data-last" in known)
        assert web.client().get(f"{path}/frames.json?from={last}").status_code in (200, 422)


@pytest.mark.long
@pytest.mark.parametrize("length", [1000, pytest.param(7000, marks=pytest.mark.long, id="as long as allowed")])
def test_showing_a_forged_log_takes_time_linear_in_its_length(web: Web, length: int) -> None:
    def works(data: bytes, first: int) -> tuple[Callable[[], None], ...]:
        path = open_log(web, data)

        def store() -> None:
            open_log(web, data)

        def get(path: str) -> None:
            assert web.client().get(path).status_code == 200

        return store, lambda: get(path), lambda: get(f"{path}/frames.json?from={first}")

    short, long = length // 10, length
    for tenth, whole in zip(
        works(log_to_bytes(long_log(short)), short - 50), works(log_to_bytes(long_log(long)), long - 50), strict=True
    ):
        assert growth_of_cpu_time(tenth, whole) < 10 * LINEAR
