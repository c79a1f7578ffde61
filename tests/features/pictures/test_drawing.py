"""GIFs and pictures of replays: drawn in turns, once each, shown to those who may see the replay, and for a day."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageChops
from sqlalchemy import select, update

from pbem.errors import Busy, Forbidden, Gone, Invalid, NoMatch, NotFound, Problem, TooMany
from pbem.features.pictures import drawing, gif, pictures, reels
from pbem.features.pictures.pictures import Wanted
from pbem.features.pictures.reels import Reel
from pbem.features.pictures.tables import ReplayPicture
from pbem.features.slices import TRIES
from pbem.models.tables import Match, SeatRow, table
from pbem.services.privacy import erasure, retention
from pbem.services.views import replays
from tests.harness.undrawn import flat_frames as flat_frames
from tests.services.letterbox import id_of
from tests.services.play.stage.substitutes import match_with_absent_bob, take_over
from tests.table import House

FIVE = Wanted("gif", 1, 5)

flat = pytest.mark.usefixtures("flat_frames")


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run draws one frame."""
    monkeypatch.setattr(drawing, "RUN_S", 0.0)


def begin_match(house: House, game: str = "hogen", moves: int = 8, seats: int = 3, **wanted: Any) -> str:
    match_id = house.begin(seats, game, **wanted)
    for _ in range(moves):
        house.play(match_id, house.asks(match_id)[0].seat)
    return match_id


def ask_for_picture(house: House, match_id: str, wanted: Wanted = FIVE, seat: int | None = 0, eyes: Any = "") -> str:
    return pictures.request_picture(house.site, match_id, seat, "en", eyes, wanted)


def progress_of_picture(house: House, match_id: str, picture: str, seat: int | None = 0) -> tuple[int, int, str | None]:
    """How many frames are drawn, of how many, and what has become of it."""
    found = pictures.read_picture(house.site, match_id, seat, picture)
    return found.drawn, found.total, found.result


def data_of(house: House, match_id: str, picture: str, seat: int | None = 0) -> bytes:
    return pictures.read_file(house.site, match_id, seat, picture).data


def ids_of_pictures(house: House) -> set[str]:
    """Returns the ids of all pictures in the database."""
    with house.site.reading() as session:
        return {*session.execute(select(table(ReplayPicture).c.id)).scalars()}


def draw_all(house: House) -> int:
    drawn = 0
    while more := drawing.draw_frames_of_next_picture(house.site):
        drawn += more
    return drawn


def open_image(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def durations_of_frames(data: bytes) -> list[int]:
    image, found = open_image(data), []
    for at in range(getattr(image, "n_frames")):  # noqa: B009  # of animations only
        image.seek(at)
        found.append(image.info["duration"])
    return found


# --- drawing ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@flat
@pytest.mark.usefixtures("one_at_a_time")
def test_a_gif_grows_run_by_run_and_is_shown_when_it_is_whole(house: House) -> None:
    match_id = begin_match(house)
    picture, wakes = ask_for_picture(house, match_id), len(house.wakes)
    for n in range(5):
        assert progress_of_picture(house, match_id, picture) == (n, 5, None)
        with pytest.raises(NotFound):
            data_of(house, match_id, picture)
        assert drawing.draw_frames_of_next_picture(house.site) == 1
    assert progress_of_picture(house, match_id, picture) == (5, 5, "made")
    assert len(house.wakes) == wakes + 4, "each run wakes the next one, but for the last"
    assert drawing.draw_frames_of_next_picture(house.site) == 0
    assert durations_of_frames(data_of(house, match_id, picture)) == [1500, 1500, 1500, 1500, 3000]


@pytest.mark.on_postgresql
@flat
def test_short_runs_draw_the_same_file_as_one_long_run(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_match(house)
    monkeypatch.setattr(drawing, "RUN_S", 3600.0)
    at_once = ask_for_picture(house, match_id)
    assert drawing.draw_frames_of_next_picture(house.site) == 5
    data = data_of(house, match_id, at_once)
    house.clock.forward(days=2)
    monkeypatch.setattr(drawing, "RUN_S", 0.0)
    picture = ask_for_picture(house, match_id)
    assert draw_all(house) == 5
    assert data_of(house, match_id, picture) == data


@pytest.mark.long
@flat
@pytest.mark.usefixtures("one_at_a_time")
def test_of_several_pictures_each_gets_a_run_in_turn(house: House) -> None:
    match_id = begin_match(house)
    ids = [ask_for_picture(house, match_id, FIVE, seat) for seat in (0, 1, 2)]
    for _ in ids:
        house.clock.forward(seconds=1)
        drawing.draw_frames_of_next_picture(house.site)
    assert [progress_of_picture(house, match_id, one, seat)[0] for seat, one in enumerate(ids)] == [1, 1, 1]


@pytest.mark.long
def test_a_gif_frame_shows_its_step_in_the_colours_of_the_palette(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reels, "PNG_WIDTH", reels.WIDTH)
    match_id = begin_match(house)
    seen = replays.read_replay(house.site, match_id, 0, "en")
    reel = Reel(seen, seen.steps[2:4], "light")
    data = reel.gif_head()
    data += reel.gif_frame(data, 0, 1500) + reel.gif_frame(data, 1, 1500) + gif.TAIL
    image, alone = open_image(data), open_image(Reel(seen, seen.steps[3:4], "light").png_of_first_step()).convert("RGB")
    image.seek(1)
    differs = ImageChops.difference(image.convert("RGB").crop((0, 0, *alone.size)), alone).convert("L").histogram()
    assert sum(differs[48:]) == 0
    assert sum(differs[:8]) > 0.99 * alone.size[0] * alone.size[1]


@pytest.mark.long
@flat
def test_a_png_shows_one_step(house: House) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id, Wanted("png", 3, 0, theme="dark"))
    assert progress_of_picture(house, match_id, picture) == (0, 1, None)
    assert draw_all(house) == 1
    image = open_image(data_of(house, match_id, picture))
    assert (image.format, image.size[0]) == ("PNG", 1200)


# --- the same again --------------------------------------------------------------------------------------------


@pytest.mark.long
@flat
def test_equal_requests_share_a_picture_and_different_ones_do_not(house: House) -> None:
    match_id = begin_match(house)
    first = ask_for_picture(house, match_id)
    assert ask_for_picture(house, match_id) == first
    draw_all(house)
    assert ask_for_picture(house, match_id) == first, "also when it is finished"
    others = [Wanted("gif", 1, 4), Wanted("gif", 1, 5, "fast"), Wanted("gif", 1, 5, theme="dark"), Wanted("png", 1, 5)]
    made = {first}
    for wanted in others:
        made.add(ask_for_picture(house, match_id, wanted))
        draw_all(house)
    made.add(pictures.request_picture(house.site, match_id, 0, "fr", "", FIVE))
    made.add(ask_for_picture(house, match_id, FIVE, 1))
    assert len(made) == 7


@pytest.mark.long
@flat
def test_a_failed_picture_is_drawn_again_when_requested_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    with monkeypatch.context() as patch:
        patch.setattr(drawing, "LARGEST", 1)
        draw_all(house)
    assert progress_of_picture(house, match_id, picture)[2] == "large"
    assert ask_for_picture(house, match_id) == picture
    assert progress_of_picture(house, match_id, picture) == (0, 5, None)
    draw_all(house)
    assert progress_of_picture(house, match_id, picture)[2] == "made"


@pytest.mark.long
@flat
@pytest.mark.usefixtures("one_at_a_time")
def test_of_two_workers_with_the_same_picture_one_stores_its_frames(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    frame = Reel.gif_frame
    inner = list[int]()

    def overtaken(reel: Reel, data: bytes, at: int, shown_ms: int) -> bytes:
        if not inner:
            inner.append(0)
            assert drawing.draw_frames_of_next_picture(house.site) == 0, "it is claimed"
            house.clock.forward(minutes=3)
            inner.append(drawing.draw_frames_of_next_picture(house.site))
        return frame(reel, data, at, shown_ms)

    monkeypatch.setattr(Reel, "gif_frame", overtaken)
    assert drawing.draw_frames_of_next_picture(house.site) == 0
    assert inner == [0, 1]
    assert progress_of_picture(house, match_id, picture) == (1, 5, None)
    draw_all(house)
    assert durations_of_frames(data_of(house, match_id, picture)) == [1500, 1500, 1500, 1500, 3000]


@flat
@pytest.mark.usefixtures("one_at_a_time")
def test_drawing_resumes_after_a_crash_and_fails_after_too_many(house: House) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    drawing.draw_frames_of_next_picture(house.site)
    for _ in range(TRIES):
        claimed = drawing.PICTURES.leases.claim_row_longest_due(house.site)
        assert claimed is not None
        assert claimed.drawn == 1
        assert drawing.PICTURES.leases.claim_row_longest_due(house.site) is None
        house.clock.forward(minutes=3)
    assert drawing.draw_frames_of_next_picture(house.site) == 0
    assert progress_of_picture(house, match_id, picture) == (1, 5, "failed")
    assert drawing.PICTURES.leases.claim_row_longest_due(house.site) is None


@pytest.mark.sample(1)
@flat
@pytest.mark.parametrize("step", ["read_replay", "store"])
def test_a_busy_database_does_not_count_as_a_crash_of_drawing(
    house: House, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    writing, writes = type(house.site).writing, list[int]()
    each = 3 if house.site.engine.dialect.name == "sqlite" else 2

    def busy_on_storing(site: Any) -> Any:
        writes.append(1)
        if len(writes) % each == each - 1:  # the last one gives the picture back; on SQLite the first one claims it
            raise Busy("busy", retry_after=1)
        return writing(site)

    def busy(*_: Any) -> Any:
        raise Busy("busy", retry_after=1)

    for _ in range(TRIES + 1):
        with monkeypatch.context() as patch:
            if step == "store":
                patch.setattr(type(house.site), "writing", busy_on_storing)
            else:
                patch.setattr(replays, "read_replay", busy)
            with pytest.raises(Busy):
                drawing.draw_frames_of_next_picture(house.site)
    assert progress_of_picture(house, match_id, picture) == (0, 5, None)
    assert draw_all(house) == 5
    assert progress_of_picture(house, match_id, picture)[2] == "made"


@flat
def test_a_picture_that_cannot_be_drawn_stops_no_other(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_match(house)
    broken, whole = ask_for_picture(house, match_id), ask_for_picture(house, match_id, Wanted("png", 2, 0))

    def fails(*_: Any) -> bytes:
        raise ValueError("a board that is no drawing")

    monkeypatch.setattr(Reel, "gif_head", fails)
    assert [drawing.draw_frames_of_next_picture(house.site), draw_all(house)] == [0, 1]
    assert progress_of_picture(house, match_id, broken)[2] == "failed"
    assert progress_of_picture(house, match_id, whole)[2] == "made"
    counts = house.site.counters.read()
    assert {key: n for key, n in counts.items() if key.startswith("pictures")} == {
        "pictures|gif|failed": 1,
        "pictures|png|made": 1,
    }


@pytest.mark.on_postgresql
@flat
def test_a_picture_waits_while_its_game_is_unavailable(house: House) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    set_game(house, "forgotten")
    assert drawing.draw_frames_of_next_picture(house.site) == 0
    assert drawing.PICTURES.leases.claim_row_longest_due(house.site) is None
    set_game(house, "hogen")
    house.clock.forward(minutes=11)
    assert draw_all(house) == 5
    assert progress_of_picture(house, match_id, picture)[2] == "made"


def set_game(house: House, slug: str) -> None:
    with house.site.writing() as work:
        work.execute(update(table(Match)).values(game=slug))


# --- limits ----------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("first", "last"), [(0, 3), (3, 2), (1, 999), (-1, 1), (1, 0)])
def test_a_picture_of_nonexistent_steps_is_refused(house: House, first: int, last: int) -> None:
    with pytest.raises(Invalid, match="Choose steps between"):
        ask_for_picture(house, begin_match(house), Wanted("gif", first, last))


def test_a_gif_has_a_limit_of_steps_and_needs_a_match_that_has_begun(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST", 4)
    match_id = begin_match(house)
    ask_for_picture(house, match_id, Wanted("gif", 2, 5))
    with pytest.raises(Invalid, match="at most"):
        ask_for_picture(house, match_id, FIVE)
    with pytest.raises(Invalid, match="has not begun"):
        ask_for_picture(house, house.create())


@pytest.mark.long
def test_each_seat_has_its_own_limit_of_open_pictures(house: House) -> None:
    match_id = begin_match(house)
    for last in (2, 3, 4):
        ask_for_picture(house, match_id, Wanted("gif", 1, last))
    with pytest.raises(TooMany) as refused:
        ask_for_picture(house, match_id)
    assert refused.value.retry_after
    assert ask_for_picture(house, match_id, Wanted("gif", 1, 2)), "what is drawn already may be asked for"
    ask_for_picture(house, match_id, FIVE, 1)
    ask_for_picture(house, match_id, FIVE, None)


@flat
def test_the_site_has_a_limit_of_open_pictures(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_match(house)
    ask_for_picture(house, match_id)
    monkeypatch.setattr(pictures, "OPEN_ALL", 1)
    with pytest.raises(TooMany, match="being drawn at the moment"):
        ask_for_picture(house, match_id, FIVE, 1)


@flat
@pytest.mark.on_postgresql
def test_without_space_the_oldest_finished_pictures_are_deleted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_match(house)
    ids = []
    for seat in (0, 1, 2):
        ids.append(ask_for_picture(house, match_id, FIVE, seat))
        draw_all(house)
        house.clock.forward(seconds=1)
    with house.site.reading() as session:
        sizes = [session.get_one(ReplayPicture, picture).size for picture in ids]
    monkeypatch.setattr(pictures, "SPACE", sum(sizes) - sizes[0])
    more = ask_for_picture(house, match_id, FIVE, None)
    assert ids_of_pictures(house) == {ids[2], more}, "there is room for it only below the limit"
    monkeypatch.setattr(pictures, "SPACE", 0)
    with pytest.raises(TooMany, match="no space"):
        ask_for_picture(house, match_id, FIVE, 1)


@pytest.mark.long
@flat
def test_a_picture_is_kept_for_a_day(house: House) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    draw_all(house)
    house.clock.forward(hours=23)
    retention.delete_old_rows(house.site)
    assert data_of(house, match_id, picture)
    house.clock.forward(hours=1)
    with pytest.raises(NotFound, match="kept for a day"):
        data_of(house, match_id, picture)
    assert retention.delete_old_rows(house.site) >= 1
    with house.site.reading() as session:
        assert session.get(ReplayPicture, picture) is None


# --- who sees what ---------------------------------------------------------------------------------------------


@flat
def test_a_picture_is_shown_to_those_who_may_see_its_replay(house: House) -> None:
    match_id, other = begin_match(house), begin_match(house)
    picture = ask_for_picture(house, match_id)
    draw_all(house)
    for seat in (1, None):
        with pytest.raises(Forbidden):
            data_of(house, match_id, picture, seat)
        with pytest.raises(Forbidden):
            ask_for_picture(house, match_id, FIVE, seat, 0)
    with pytest.raises(NotFound):
        data_of(house, other, picture)
    with pytest.raises(NotFound):
        data_of(house, match_id, "0" * 24)


@pytest.mark.long
@flat
@pytest.mark.usefixtures("one_at_a_time")
def test_a_picture_leaves_out_events_after_its_request(house: House) -> None:
    match_id = begin_match(house)
    last = len(replays.read_replay(house.site, match_id, 0, "en").steps)
    picture = ask_for_picture(house, match_id, Wanted("gif", last - 1, last))
    drawing.draw_frames_of_next_picture(house.site)
    house.play(match_id, house.asks(match_id)[0].seat)
    draw_all(house)
    assert progress_of_picture(house, match_id, picture) == (2, 2, "made")
    assert len(durations_of_frames(data_of(house, match_id, picture))) == 2


@flat
def test_a_queued_picture_is_dropped_when_the_names_have_changed(house: House) -> None:
    match_id = begin_match(house)
    picture = ask_for_picture(house, match_id)
    with house.site.writing() as work:
        work.execute(update(table(SeatRow)).where(table(SeatRow).c.seat == 1).values(name="Charlie"))
    draw_all(house)
    with house.site.reading() as session:
        assert session.get_one(ReplayPicture, picture).result == "stale"


@pytest.mark.long
@flat
def test_a_picture_does_not_show_cards_that_have_faded_from_memory(house: House) -> None:
    match_id = begin_match(house, "allegeance", 6)

    def what_is_known(seat: int) -> list[Any]:
        return [entry.event for entry in replays.read_replay(house.site, match_id, seat, "en").entries if entry.n <= n]

    n = house.view(match_id, None).entries[-1].n
    last = {seat: len(replays.read_replay(house.site, match_id, seat, "en").steps) for seat in (0, 1, 2)}
    ids = {seat: ask_for_picture(house, match_id, Wanted("gif", last[seat] - 1, last[seat]), seat) for seat in last}
    before = {seat: what_is_known(seat) for seat in last}
    draw_all(house)
    assert all(data_of(house, match_id, one, seat) for seat, one in ids.items())
    for _ in range(9):
        house.play(match_id, house.asks(match_id)[0].seat)
    faded = [seat for seat in last if what_is_known(seat) != before[seat]]
    assert faded
    for seat in faded:
        assert progress_of_picture(house, match_id, ids[seat], seat)[2] == "stale"
        with pytest.raises(Gone):
            data_of(house, match_id, ids[seat], seat)


@pytest.mark.long
@flat
def test_erasing_a_player_deletes_all_pictures_of_their_matches_at_once(house: House) -> None:
    match_id, other = begin_match(house, seats=4), begin_match(house)
    made, public, elsewhere = (
        ask_for_picture(house, match_id),
        ask_for_picture(house, match_id, FIVE, None),
        ask_for_picture(house, other),
    )
    draw_all(house)
    drawn_later = ask_for_picture(house, match_id, Wanted("gif", 1, 2))
    erasure.erase_player(house.site, id_of(house, "Dave"))
    assert ids_of_pictures(house) == {elsewhere}
    for picture in (made, public, drawn_later):
        with pytest.raises(NotFound):
            data_of(house, match_id, picture)


@pytest.mark.long
@flat
def test_a_picture_that_is_being_drawn_during_the_erasure_is_not_stored(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = begin_match(house)
    ask_for_picture(house, match_id)
    head = Reel.gif_head

    def erase_meanwhile(reel: Reel) -> bytes:
        erasure.erase_player(house.site, id_of(house, "Bob"))
        return head(reel)

    monkeypatch.setattr(Reel, "gif_head", erase_meanwhile)
    assert drawing.draw_frames_of_next_picture(house.site) == 0
    assert ids_of_pictures(house) == set()


@flat
def test_erasing_a_former_player_deletes_the_pictures_that_name_them(house: House) -> None:
    match_id = match_with_absent_bob(house)
    picture = ask_for_picture(house, match_id, Wanted("png", 1, 0))
    draw_all(house)
    take_over(house, match_id)
    assert ids_of_pictures(house) == {picture}
    erasure.erase_player(house.site, id_of(house, "Bob"))
    assert ids_of_pictures(house) == set()


@pytest.mark.on_postgresql
@flat
def test_making_a_table_private_removes_the_spectators_pictures(house: House) -> None:
    match_id = begin_match(house)
    made = ask_for_picture(house, match_id, FIVE, None)
    draw_all(house)
    assert data_of(house, match_id, made, None)
    drawn_later = ask_for_picture(house, match_id, Wanted("gif", 1, 2), None)
    with house.site.writing() as work:
        work.execute(update(table(Match)).values(spectators=False))
    for picture in (made, drawn_later):
        with pytest.raises(NoMatch):
            data_of(house, match_id, picture, None)
    draw_all(house)
    with house.site.reading() as session:
        assert session.get_one(ReplayPicture, drawn_later).result == "stale"


@pytest.mark.long
@flat
def test_pictures_through_all_eyes_need_a_finished_match(house: House) -> None:
    match_id = begin_match(house)
    with pytest.raises(Problem):
        ask_for_picture(house, match_id, FIVE, 0, "all")
    house.play_out(match_id)
    picture = ask_for_picture(house, match_id, FIVE, None, "all")
    draw_all(house)
    assert data_of(house, match_id, picture, None) == data_of(house, match_id, picture, 2)
