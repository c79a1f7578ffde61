"""Opening a log that somebody sent: it is watched from itself alone, and whatever is wrong with it is said."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from html import unescape
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from pbem.games import all_games
from pbem.kit.contract import Lang
from pbem.kit.logs import logfile
from pbem.kit.logs.logfile import Log, write
from pbem.kit.logs.verdict import NOT_CHECKED
from pbem.kit.replay import redacted
from pbem.web.views import viewer
from pbem.web.views.uploaded_logs import pack, unpack
from tests.growth import LINEAR, growth
from tests.kit.test_logfile import LOG, long_log
from tests.transcripts import log_of, played, seed_of, untellable
from tests.web.cast import Page, Web

SLOW_HERE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

OPEN = "/replay/open"
DOCUMENT: dict[str, Any] = json.loads(write(LOG))


def post(web: Web, data: bytes, path: str = OPEN, lang: str = "en", **fields: str) -> TestResponse:
    """The answer to the form with this file."""
    form = {"file": (io.BytesIO(data), "log.json"), **fields}
    return web.client(lang).post(path, data=form, content_type="multipart/form-data")


def again(web: Web, page: Page, path: str = OPEN, **fields: str) -> TestResponse:
    """The answer to the form that the page holds, sent by a button."""
    form = next(form for form in page.forms if "log" in form.fields)
    return web.client().post(path, data=form.fields | fields, content_type="multipart/form-data")


def for_viewer(viewer: int | None) -> Log:
    """The log as this viewer downloads it while the match runs."""
    return msgspec.structs.replace(LOG, viewer=viewer, seed=None, entries=tuple(redacted(LOG.entries, viewer)))


def buttons(page: Page, name: str) -> list[str]:
    """What the page's buttons of this name would send."""
    return [known["value"] for tag, known in page.tags if tag == "button" and known.get("name") == name]


def test_a_log_is_opened_by_a_plain_form_without_the_database(web: Web) -> None:
    before = web.everything()
    web.site.engine.dispose()
    form = Page(web.client().get(OPEN).text).forms[-1]
    assert (form.action, form.method, set(form.fields)) == (OPEN, "post", {"file"})
    answer = post(web, write(LOG))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    page = Page(answer.text)
    assert "Player A" in page.said
    assert "The log agrees with itself: the seed is the one of its own commitment" in page.said
    assert web.everything() == before


@pytest.mark.parametrize("slug", list(all_games()))
def test_every_games_log_opens_and_holds(web: Web, slug: str) -> None:
    game = all_games()[slug]
    table = played(game, min(game.meta.seats), seed_of(slug, 2, 1))
    for lang, holds in (("en", "made again by the rules"), ("fr", "refaites selon les règles")):
        answer = post(web, write(log_of(table)), lang=lang)
        assert answer.status_code == 200
        assert holds in answer.text


@pytest.mark.parametrize(
    ("lang", "agrees", "nothing", "unchecked"),
    [
        ("en", "The log agrees with itself", "Nothing here shows that this match was played", "Not checked:"),
        ("fr", "Le journal est cohérent", "Rien ici ne montre que cette partie a été jouée", "Non vérifié :"),
    ],
)
def test_a_log_that_agrees_with_itself_says_just_that_and_what_is_not_checked(
    web: Web, lang: Lang, agrees: str, nothing: str, unchecked: str
) -> None:
    said = unescape(Page(post(web, write(LOG), lang=lang).text).said)
    assert agrees in said
    assert nothing in said
    assert LOG.seed_sha256 in said.split(), "all of it, to be compared with a mail"
    listed = said.split(unchecked)[1]
    for what in NOT_CHECKED.values():
        assert " ".join(what[lang].split()) in listed
    for claim in ("was committed to before the match", "engagée avant la partie", "Is it true?"):
        assert claim not in said


@pytest.mark.parametrize(("lang", "wait"), [("en", "before the end"), ("fr", "avant la fin")])
def test_the_log_of_a_running_match_cannot_be_checked_before_the_end(web: Web, lang: str, wait: str) -> None:
    running = msgspec.structs.replace(LOG, entries=LOG.entries[: len(LOG.entries) // 2])
    for viewer_ in (0, None):
        known = tuple(redacted(running.entries, viewer_))
        own = msgspec.structs.replace(running, viewer=viewer_, seed=None, entries=known)
        said = Page(post(web, write(own), lang=lang).text).said
        assert wait in said
        assert "agrees with itself" not in said
        assert "est cohérent" not in said


def test_each_step_is_a_button_that_sends_the_log_along(web: Web) -> None:
    page = Page(post(web, write(LOG)).text)
    steps = sorted(set(map(int, buttons(page, "step"))))
    assert steps == list(range(1, len(steps) + 1))
    for n in steps[:: max(1, len(steps) // 6)]:
        shown = Page(again(web, page, step=str(n), at="2").text)
        assert [known["data-step"] for _, known in shown.tags if known.get("aria-current") == "step"] == [str(n)]
    slid = Page(again(web, page, at="4").text)
    assert [known["data-step"] for _, known in slid.tags if known.get("aria-current") == "step"] == ["4"]


def test_a_full_log_is_watched_through_any_eyes_that_stay_open(web: Web) -> None:
    page = Page(post(web, write(LOG)).text)
    assert buttons(page, "viewer") == ["all", "0", "1", "2", "none"]
    bob = Page(again(web, page, viewer="1").text)
    told = [text for text in bob.said.split("Player ") if "hides an ally" in text]
    assert "Player B hides an ally:" in bob.said
    assert len(told) == 3
    assert bob.said.count("hides an ally:") == 1
    assert next(form for form in bob.forms if "log" in form.fields).fields["eyes"] == "1"
    assert again(web, bob, step="2").text.count("hides an ally:") == bob.text.count("hides an ally:")
    for eyes, status in (("7", 404), ("x", 404), ("²", 404)):
        assert again(web, page, viewer=eyes).status_code == status


def test_the_language_is_switched_with_the_log_and_the_step_and_stays_so(web: Web) -> None:
    page = Page(again(web, Page(post(web, write(LOG)).text), step="4").text)
    assert not [href for href in page.hrefs() if "lang=" in href]
    (action,) = {known["formaction"] for tag, known in page.tags if tag == "button" and "formaction" in known}
    french = Page(again(web, page, path=action, at="4").text)
    assert "Joueur A" in french.said
    assert [known["data-step"] for _, known in french.tags if known.get("aria-current") == "step"] == ["4"]
    (form,) = (form for form in french.forms if "log" in form.fields)
    assert "Joueur A" in Page(again(web, french, path=form.action, step="5").text).said


@pytest.mark.parametrize(("viewer_", "other"), [(0, "1"), (None, "all")])
def test_a_viewers_own_log_opens_with_his_eyes_alone(web: Web, viewer_: int | None, other: str) -> None:
    answer = post(web, write(for_viewer(viewer_)))
    page = Page(answer.text)
    assert answer.status_code == 200
    assert buttons(page, "viewer") == []
    assert "made for one viewer" in page.said
    assert "Nobody vouches" in page.said
    assert "only the full log of a finished match" in page.said
    assert again(web, page, viewer=other).status_code == 403


def test_a_log_with_another_seed_opens_and_says_so(web: Web) -> None:
    answer = post(web, write(msgspec.structs.replace(LOG, seed=bytes(32))))
    assert answer.status_code == 200
    assert "not the one that was committed to" in answer.text
    french = post(web, write(msgspec.structs.replace(LOG, seed=bytes(32))), lang="fr")
    assert "engagée" in french.text


def test_a_forged_fact_opens_and_its_entry_is_named(web: Web) -> None:
    at = next(i for i, e in enumerate(LOG.entries) if type(e.event).__name__ == "Began")
    document = json.loads(write(LOG))
    document["events"][at]["event"]["seat"] = (LOG.entries[at].event.seat + 1) % 3
    answer = post(web, json.dumps(document).encode())
    assert answer.status_code in (200, 422)
    assert "Entry " in answer.text


def test_frames_are_those_of_the_steps_some_at_a_time(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "FRAMES", 5)
    page = Page(post(web, write(LOG)).text)
    path = next(known["data-frames"] for _, known in page.tags if "data-frames" in known)
    for first in (1, 6):
        answer = again(web, page, path=f"{path}&from={first}")
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.json is not None
        assert [frame["n"] for frame in answer.json["frames"]] == list(range(first, first + 5))
        assert answer.json["frames"][0]["svg"] in again(web, page, step=str(first)).text
    unsaid = again(web, page, path=path)
    assert unsaid.json is not None
    assert [frame["n"] for frame in unsaid.json["frames"]] == [1, 2, 3, 4, 5]


# --- what is refused ---------------------------------------------------------------------------------------------


def changed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return json.dumps(document).encode()


DAMAGED = {
    "no JSON": (b"GIF89a", "not a log document", "ce n’est pas un journal"),
    "no log": (b"{}", "not a log document", "ce n’est pas un journal"),
    "other format": (changed(lambda d: d.update(format="pbem-log/9")), "the format is", "le format est"),
    "unknown game": (changed(lambda d: d.update(game="chess")), "no game here is called", "aucun jeu d’ici"),
    "missing": (
        changed(lambda d: d["events"].pop(3)),
        "Entry 4: it is numbered 5",
        "Entrée 4 : elle porte le numéro 5",
    ),
    "unreadable": (
        changed(lambda d: d["events"][6].pop("event")),
        "Entry 7: it cannot be read",
        "Entrée 7 : elle ne se lit pas",
    ),
    "no such seat": (
        changed(lambda d: d["events"][2]["event"].update(seat=9)),
        "Entry 3: there is no seat 9",
        "Entrée 3 : il n’y a pas de place 9",
    ),
    "no story": (untellable(), "it cannot be told", "elle ne peut pas être racontée"),
    "too long": (b" " * (logfile.MAX_BYTES + 1), "at most", "au plus"),
}


@pytest.mark.parametrize(("data", "english", "french"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_log_is_refused_with_the_entry_and_the_reason(
    web: Web, data: bytes, english: str, french: str
) -> None:
    for lang, words in (("en", english), ("fr", french)):
        answer = post(web, data, lang=lang)
        assert answer.status_code == 422
        assert words in Page(answer.text).said
        assert 'type="file"' in answer.text
        assert "Traceback" not in answer.text
    assert post(web, data, path=f"{OPEN}/frames.json").status_code == 422


@pytest.mark.parametrize("log", ["", "%%%", "e30=", pack(b"{}"), pack(b" " * 3_000_000)])
def test_what_the_page_did_not_pack_is_refused(web: Web, log: str) -> None:
    answer = web.client().post(OPEN, data={"log": log}, content_type="multipart/form-data")
    assert answer.status_code == 422


def test_unpacking_stops_at_what_a_log_may_have() -> None:
    assert len(unpack(pack(b" " * 50_000_000))) == logfile.MAX_BYTES + 1


def test_more_than_any_log_is_refused_before_it_is_read(web: Web) -> None:
    assert post(web, b" " * (web.app.config["MAX_CONTENT_LENGTH"] + 1)).status_code == 413


def test_names_and_markup_in_a_log_are_not_believed(web: Web) -> None:
    evil = "<script>alert(1)</script>{0}"
    for data in (
        changed(lambda d: d.update(game=evil)),
        changed(lambda d: d.update(format=evil)),
        changed(lambda d: d["events"][1]["event"].update(card=evil)),
        changed(lambda d: d["events"][1].update(key=evil)),
        changed(lambda d: d["events"][1].update(at=evil)),
    ):
        assert "<script>alert" not in post(web, data).text


def mutated(draw: Callable[..., Any], document: dict[str, Any]) -> bytes:
    """The log with some scalars of its entries exchanged for others out of it, or entries moved about."""
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


SAMPLES = [
    json.loads(write(log_of(played(game, max(game.meta.seats), seed_of(slug, 3, 2)))))
    for slug, game in all_games().items()
]


@settings(max_examples=120, deadline=None, suppress_health_check=SLOW_HERE)
@given(data=st.data())
def test_no_mutated_log_breaks_the_page(web: Web, data: st.DataObject) -> None:
    document = json.loads(json.dumps(data.draw(st.sampled_from(SAMPLES))))
    forged = mutated(data.draw, document)
    answer = post(
        web, forged, at=str(data.draw(st.integers(1, 400))), viewer=data.draw(st.sampled_from(["", "0", "none"]))
    )
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        page = Page(answer.text)
        last = next(known["data-last"] for _, known in page.tags if "data-last" in known)
        assert again(web, page, path=f"{OPEN}/frames.json?from={last}").status_code in (200, 422)


def test_a_forged_log_as_long_as_allowed_is_shown_in_a_time_that_grows_with_its_length(web: Web) -> None:
    def shown(data: bytes, path: str = OPEN) -> Callable[[], None]:
        def work() -> None:
            assert post(web, data, path=path).status_code == 200

        return work

    tenth, whole = write(long_log(700)), write(long_log(7000))
    assert growth(shown(tenth), shown(whole)) < 10 * LINEAR
    tail = f"{OPEN}/frames.json?from={{}}"
    assert growth(shown(tenth, tail.format(600)), shown(whole, tail.format(6900))) < 10 * LINEAR


def test_the_start_page_leads_to_it(web: Web) -> None:
    assert OPEN in Page(web.client().get("/").text).hrefs()
