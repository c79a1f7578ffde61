"""Asking for a GIF or a picture of a replay, and watching it being drawn, without any script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from pbem import create_app
from pbem.environment import Smtp
from pbem.features.pictures import drawing, pages
from pbem.features.pictures.limits import DRAWINGS
from pbem.services.tokens import PlayClaim
from pbem.services.views import seats
from tests.harness.undrawn import flat_frames as flat_frames
from tests.table import play_out
from tests.web.cast import Page, Web, path_of, play_on

pytestmark = pytest.mark.usefixtures("flat_frames")
RELAY = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)


def form_of(client: FlaskClient, replay: str) -> tuple[str, dict[str, str]]:
    """Returns where the form of this replay goes, and what it sends unless the reader changes it."""
    page = Page(client.get(replay).text)
    form = next(form for form in page.forms if form.action.endswith("/pictures"))
    assert form.method == "post"
    return form.action, {**form.fields, "pace": "normal", "theme": "light", "kind": "gif"}


def request_picture(client: FlaskClient, replay: str, **changed: str) -> TestResponse:
    action, fields = form_of(client, replay)
    return client.post(action, data=fields | changed)


def ask_for_picture(client: FlaskClient, replay: str, **changed: str) -> str:
    """Returns the page of the picture."""
    answer = request_picture(client, replay, **changed)
    assert answer.status_code == 303
    return path_of(answer)


def draw_all(web: Web) -> None:
    while drawing.draw_frames_of_next_picture(web.site):
        pass


def file_of(page: str) -> str:
    return next(known["href"] for _, known in Page(page).tags if "download" in known)


@pytest.mark.long
@pytest.mark.parametrize("public", [True, False])
def test_a_gif_is_requested_awaited_and_downloaded_without_scripts(
    web: Web, hogen: str, public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_on(web, hogen, 4)
    replay = f"/replay/{hogen}" if public else web.link("play", hogen, 1) + "/replay"
    client = web.client()
    path = ask_for_picture(client, f"{replay}?step=1")
    assert path.startswith(replay)
    shown = client.get(path)
    page = Page(shown.text)
    _, fields = form_of(client, f"{replay}?step=1")
    total = int(fields["last"]) - int(fields["first"]) + 1
    assert f"0 of {total} frames drawn." in page.words
    assert path in page.hrefs(), "a link looks again"
    monkeypatch.setattr(drawing, "RUN_S", 0.0)
    drawing.draw_frames_of_next_picture(web.site)
    assert f"1 of {total} frames drawn." in Page(client.get(path).text).words
    draw_all(web)
    done = client.get(path).text
    assert f"{total} steps, " in Page(done).words
    got = client.get(file_of(done))
    assert (got.status_code, got.mimetype) == (200, "image/gif")
    assert got.headers["Cache-Control"] == "no-store", "the match is running"
    assert "hogen.gif" in got.headers["Content-Disposition"]
    image = Image.open(BytesIO(got.data))
    assert getattr(image, "n_frames") == total  # noqa: B009  # of animations only


@pytest.mark.long
def test_a_png_of_a_replays_step_is_requested_and_downloaded(web: Web, hogen: str) -> None:
    play_on(web, hogen, 4)
    client = web.client("fr")
    replay = web.link("play", hogen, 1) + "/replay"
    path = ask_for_picture(client, f"{replay}?step=2", kind="png", first="", last="")
    draw_all(web)
    got = client.get(file_of(client.get(path).text))
    assert (got.mimetype, Image.open(BytesIO(got.data)).format) == ("image/png", "PNG")


@pytest.mark.long
def test_the_gif_form_proposes_the_steps_from_the_one_shown(
    web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PROPOSED", 3)
    play_on(web, hogen, 9, seed=2)
    client, replay = web.client(), f"/replay/{hogen}"
    last = int(form_of(client, replay)[1]["last"])
    assert last > 4
    for step, expected in ((1, (1, 3)), (2, (2, 4)), (last, (last - 2, last))):
        fields = form_of(client, f"{replay}?step={step}")[1]
        assert (int(fields["first"]), int(fields["last"]), int(fields["step"])) == (*expected, step)


@pytest.mark.long
def test_the_public_picture_of_a_finished_match_is_noindex_and_revalidated(web: Web, hogen: str) -> None:
    play_out(web.site, hogen)
    client = web.client()
    path = ask_for_picture(client, f"/replay/{hogen}?viewer=2&step=1", first="1", last="2")
    draw_all(web)
    file = file_of(client.get(path).text)
    got = client.get(file)
    assert (got.headers["X-Robots-Tag"], got.headers["Cache-Control"]) == ("noindex", "no-cache")
    again = client.get(file, headers={"If-None-Match": got.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert f"/replay/{hogen}?viewer=2" in Page(client.get(path).text).hrefs(), "back to the same eyes"


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"first": "5", "last": "2"}, "Choose steps between 1 and"),
        ({"first": "x"}, "Choose steps between 1 and"),
        ({"last": "99999999"}, "Choose steps between 1 and"),
        ({"kind": "exe"}, "sent incomplete"),
        ({"theme": "pink"}, "sent incomplete"),
        ({"pace": ""}, "sent incomplete"),
    ],
)
def test_an_impossible_picture_is_refused_with_a_reason(
    web: Web, hogen: str, changed: dict[str, str], said: str
) -> None:
    play_on(web, hogen, 4)
    before = web.everything()
    answer = request_picture(web.client(), f"/replay/{hogen}", **changed)
    assert answer.status_code == 422
    assert said in answer.text
    assert web.everything() == before


@pytest.mark.sample(2)
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"first": "5", "last": "2"}, "last"),
        ({"first": "0", "last": "2"}, "first"),
        ({"first": "2", "last": "999"}, "last"),
    ],
)
def test_a_refused_gif_form_keeps_its_values_and_marks_the_wrong_field(
    web: Web, hogen: str, public: bool, typed: dict[str, str], field: str
) -> None:
    play_on(web, hogen, 4)
    replay = f"/replay/{hogen}" if public else web.link("play", hogen, 1) + "/replay"
    answer = request_picture(web.client(), f"{replay}?step=2", **typed, pace="fast", theme="dark")
    assert answer.status_code == 422
    page = Page(answer.text)
    form = next(form for form in page.forms if form.action.endswith("/pictures"))
    assert (form.fields["first"], form.fields["last"], form.fields["step"]) == (typed["first"], typed["last"], "2")
    assert values_chosen(page) >= {"fast", "dark"}
    assert names_in_focus(page) == [field]
    wrong = [known for _, known in page.tags if "aria-invalid" in known]
    assert [(known["name"], known["aria-describedby"]) for known in wrong] == [(field, f"wrong-{field}")]
    assert re.search(f'<em id="wrong-{field}">Choose steps between 1 and ', answer.text)
    assert [known for tag, known in page.tags if tag == "details" and "open" in known and known.get("class") == "save"]
    eyes = "none" if public else "1"
    assert f"{replay}?viewer={eyes}&step=3".replace("&", "&amp;") in answer.text, "the links are those of the replay"


def test_a_gif_form_refused_by_a_limit_says_what_to_do(web: Web, hogen: str) -> None:
    play_on(web, hogen, 6)
    client = web.client()
    for last in ("2", "3", "4"):
        ask_for_picture(client, f"/replay/{hogen}", first="1", last=last)
    answer = request_picture(client, f"/replay/{hogen}", first="2", last="4", pace="slow")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "30")
    page = Page(answer.text)
    form = next(form for form in page.forms if form.action.endswith("/pictures"))
    assert (form.fields["first"], form.fields["last"]) == ("2", "4")
    assert "slow" in values_chosen(page)
    assert names_in_focus(page) == ["p"]
    assert "Ask again when one of them is finished." in page.words
    assert "aria-invalid" not in answer.text


def values_chosen(page: Page) -> set[str]:
    """Returns the values chosen in the lists of the page."""
    return {known["value"] for tag, known in page.tags if tag == "option" and "selected" in known}


def names_in_focus(page: Page) -> list[str]:
    """Returns the names of the elements that have the focus when the page opens."""
    return [known.get("name", tag) for tag, known in page.tags if "autofocus" in known]


@pytest.mark.long
def test_pictures_show_nobody_more_than_the_replay_does(web: Web, hogen: str) -> None:
    play_on(web, hogen, 4)
    client, own = web.client(), web.link("play", hogen, 1) + "/replay"
    for viewer in ("0", "all"):
        assert request_picture(client, own, viewer=viewer).status_code == 403
        assert request_picture(client, f"/replay/{hogen}", viewer=viewer).status_code == 403
    path = ask_for_picture(client, own)
    draw_all(web)
    file = file_of(client.get(path).text)
    picture = path.rpartition("/")[2]
    for other in (f"/replay/{hogen}", web.link("play", hogen, 0) + "/replay"):
        for address in (f"{other}/pictures/{picture}", f"{other}/pictures/{picture}/file"):
            assert client.get(address).status_code == 403
    seats.renew_link(web.site, web.site.tokens.read(PlayClaim, own.split("/")[2]))
    assert [client.get(address).status_code for address in (path, file)] == [401, 401]


@pytest.mark.long
def test_a_private_match_has_no_public_pictures(make_web: Callable[..., Web]) -> None:
    web = make_web()
    match_id = web.start(spectators=False)
    play_on(web, match_id, 3)
    path = ask_for_picture(web.client(), web.link("play", match_id, 1) + "/replay")
    draw_all(web)
    public = f"/replay/{match_id}/pictures/{path.rpartition('/')[2]}"
    assert [web.client().get(address).status_code for address in (public, f"{public}/file")] == [404, 404]
    answer = web.client().post(f"/replay/{match_id}/pictures", data={
        "kind": "gif", "pace": "fast", "theme": "dark", "first": "1", "last": "2",
    })  # fmt: skip
    assert answer.status_code == 404


def test_a_failed_pictures_page_says_why(web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play_on(web, hogen, 4)
    client = web.client()
    path = ask_for_picture(client, f"/replay/{hogen}")
    monkeypatch.setattr(drawing, "LARGEST", 1)
    draw_all(web)
    assert "Make one of fewer steps" in client.get(path).text
    assert client.get(f"{path}/file").status_code == 404


@pytest.mark.sample(1)
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_network_has_an_hourly_limit_of_pictures_and_is_told_so(
    make_web: Callable[..., Web], lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = make_web(smtp=RELAY)
    few = tuple(replace(limit, account=replace(DRAWINGS, per_hour=2)) for limit in pages.LIMITS[:2])
    monkeypatch.setattr(pages, "LIMITS", few)
    web.app = create_app(site=web.site)  # one of its own: the others share theirs
    match_id = web.start()
    play_on(web, match_id, 4)
    client, own = web.client(lang), f"{web.link('play', match_id, 1)}/replay?lang={lang}"
    action, fields = form_of(client, own)
    assert [client.post(action, data=fields).status_code for _ in range(2)] == [303, 303]
    for path in (action, f"/replay/{match_id}/pictures"):
        answer = client.post(path, data=fields | {"viewer": "", "first": "2"})
        assert answer.status_code == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 3600
        page = Page(answer.text)
        assert re.search(WHEN[lang], page.words)
        assert names_in_focus(page) == ["p"]
        form = next(form for form in page.forms if form.action.endswith("/pictures"))
        assert (form.action, form.fields["first"]) == (path, "2")
    assert client.post(f"/replay/{match_id}/pictures", data=fields | {"viewer": "0"}).status_code == 403
    assert client.post("/replay/none/pictures", data=fields).status_code == 404


WHEN = {
    "en": r"The next one can be made in (1\Whour|\d+\Wminutes?)\.",
    "fr": r"Vous pourrez en demander une autre dans (1\Wheure|\d+\Wminutes?)\.",
}


@pytest.mark.long
def test_a_pictures_page_says_how_large_the_file_is(web: Web, hogen: str) -> None:
    play_on(web, hogen, 4)
    paths = {}
    for lang in ("en", "fr"):
        client = web.client(lang)
        paths[lang] = ask_for_picture(client, f"/replay/{hogen}")
    draw_all(web)
    assert " kB." in Page(web.client("en").get(paths["en"]).text).words
    assert "ko." in Page(web.client("fr").get(paths["fr"]).text).words
    assert urlsplit(paths["fr"]).path != urlsplit(paths["en"]).path
