"""The two renderers draw the same pictures, and each process takes Skia if it can be imported, else resvg."""

from __future__ import annotations

import ast
import base64
import json
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageStat

from benchmarks import boards
from pbem.features.previews import share_pictures
from pbem.games import all_games, find_game
from pbem.mail.compose import MARK_WIDTH, draw_symbol_of_mark
from pbem.render import pictures
from pbem.render.pictures import Theme
from pbem.render.raster import encode, resvg_renderer
from pbem.render.raster.fonts import font_files
from tests.harness.cases import cases
from tests.render.skia import needs_skia
from tests.render.stage.raster import RENDERERS, WIDTH

ROOT = Path(__file__).parents[2]
SHRUNK = 10
"""Pictures are compared with their sides divided by this: the edges of letters and lines differ."""
MEAN, MOST = 2.0, 130
"""How far apart the shrunk pictures may be, of 255: on average, and anywhere. Without letters it is 3 and 160."""
BYTES = 1.2
"""How many times as large as Skia's the picture may be. In true colours it is more than twice as large."""
NAMES = ("アリス", "Алиса", "😀 Łucja", "أليس")


def open_image(data: bytes) -> Image.Image:
    with Image.open(BytesIO(data)) as image:
        image.load()
        return image.copy()


def draw_by_both(draw: Callable[[], bytes]) -> tuple[bytes, bytes]:
    """Skia's picture and resvg's."""
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for name in ("Skia", "resvg"):
            patch.setattr(encode, "skia_or_resvg_renderer", lambda name=name: RENDERERS[name])
            found.append(draw())
    return found[0], found[1]


def check_alike(skias: bytes, resvgs: bytes) -> None:
    ones, others = open_image(skias), open_image(resvgs)
    assert (ones.size, ones.mode) == (others.size, others.mode)
    size = max(1, ones.width // SHRUNK), max(1, ones.height // SHRUNK)
    shrunk = [one.convert("RGB").resize(size, Image.Resampling.BOX) for one in (ones, others)]
    apart = ImageStat.Stat(ImageChops.difference(*shrunk))
    assert sum(apart.mean) / 3 < MEAN
    assert max(high for _, high in apart.extrema) < MOST
    assert len(resvgs) < BYTES * len(skias)


@pytest.mark.long
@cases("slug", sorted(all_games()))
@cases("theme", ["light", "dark"])
@needs_skia
def test_both_renderers_draw_the_same_board(slug: str, theme: Theme) -> None:
    game = find_game(slug)
    assert game is not None
    svg = pictures.board_document(game, boards.draw_board(boards.table_after(game, 4, 12)), boards.NAMES[:4], theme)
    check_alike(*draw_by_both(lambda: encode.render_png(svg, WIDTH)))


@pytest.mark.long
@cases("slug", sorted(all_games()))
@needs_skia
def test_both_renderers_draw_names_in_any_script_alike(slug: str) -> None:
    game = find_game(slug)
    assert game is not None
    svg = pictures.board_document(game, boards.draw_board(boards.table_after(game, 4, 12)), NAMES)
    check_alike(*draw_by_both(lambda: encode.render_png(svg, WIDTH)))


@cases("letter", "éАλ")
def test_resvg_finds_every_letter_of_our_own_fonts(letter: str) -> None:
    """It refuses a font without a name for PostScript, and says nothing; then a bare system has no such letters."""

    def draw_text(text: str) -> bytes:
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><text x="5" y="30">{text}</text></svg>'
        return resvg_py.svg_to_bytes(
            svg_string=svg, skip_system_fonts=True, font_files=[*font_files()], font_family="Literata"
        )

    assert draw_text(letter) != draw_text("\U0010fffd"), "no box"


@pytest.mark.long
@needs_skia
def test_both_renderers_draw_the_same_preview_picture_of_a_link() -> None:
    """Which has whole boards in it, with the letters of their own."""
    inside = tuple(
        pictures.board_document(game, boards.draw_board(boards.table_after(game, 3, 9)), NAMES)
        for game in boards.games_by_slug()[:4]
    )
    shared = share_pictures.SharePicture("pbem", "Les Étangs de Niigata", "アリス", (), "", inside)
    check_alike(*draw_by_both(lambda: pictures.document_png(share_pictures.svg_document(shared), share_pictures.WIDTH)))


@pytest.mark.long
@cases("slug", sorted(all_games()))
@needs_skia
def test_skia_and_resvg_draw_equal_symbols_on_transparent_ground(slug: str) -> None:
    game = find_game(slug)
    assert game is not None
    for mark in dict.fromkeys([*game.meta.marks.values(), *game.meta.seat_marks]):
        made = draw_by_both(lambda mark=mark: base64.b64decode(draw_symbol_of_mark.__wrapped__(game, mark)))  # type: ignore[misc]
        skias, resvgs = (open_image(data) for data in made)
        assert skias.mode == resvgs.mode == "RGBA"
        assert skias.size == resvgs.size == (MARK_WIDTH, MARK_WIDTH)
        shown = [
            Image.alpha_composite(Image.new("RGBA", one.size, "grey"), one).convert("RGB") for one in (skias, resvgs)
        ]
        assert max(ImageStat.Stat(ImageChops.difference(*shown)).mean) < 2 * MEAN, mark
        assert skias.getchannel("A").getextrema() == resvgs.getchannel("A").getextrema(), mark


@pytest.mark.long
@cases("sides, width", [("390 452", 1200), ("390 494", 48), ("1200 630", 33), ("5 3", 48)])
@needs_skia
def test_both_renderers_round_a_height_alike(sides: str, width: int) -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sides}"><rect width="4" height="2"/></svg>'
    skias, resvgs = draw_by_both(lambda: encode.render_png(svg, width))
    assert open_image(skias).size == open_image(resvgs).size


# --- which one draws ------------------------------------------------------------------------------

HIDDEN = """
import sys

class Hidden:
    names = set()

    def find_spec(self, name, path=None, target=None):
        if name in self.names:
            raise ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")

def hide(name):
    Hidden.names.add(name)
    sys.modules.pop(name, None)

sys.meta_path.insert(0, Hidden())
"""
EACH = """
import json
from dataclasses import asdict
from email import message_from_bytes
from pathlib import Path
from pbem.commands import doctor
from pbem.config import Config
from pbem.mail import compose
from pbem.render import raster
from pbem.render.raster.encode import skia_or_resvg_renderer
from tests.mail import samples

hide("skia")
config = Config(mode="production", data=Path(sys.argv[1]), database_url="sqlite://", secret=40 * "a")
for hidden in ("", "resvg_py"):
    if hidden:
        hide(hidden)
        del sys.modules["pbem.render.raster.resvg_renderer"], raster.resvg_renderer
    skia_or_resvg_renderer.cache_clear()
    compose.draw_board.cache_clear()
    mail = compose.compose_mail(samples.your_turn("en"), samples.SECRET)
    pictures = [part for part in message_from_bytes(mail.raw).walk() if part.get_content_type() == "image/png"]
    found = [doctor.check_picture_renderer()] if hidden else doctor.check_rendering(config)
    checks = {finding.check: asdict(finding) for finding in found}
    print(json.dumps({"shown": len(pictures), "fault": " ".join(why for _, why in mail.faults) or None, **checks}))
"""


@pytest.mark.long
def test_without_skia_a_mail_has_its_picture_or_is_sent_in_words(tmp_path: Path) -> None:
    """And the doctor says which of the two, why, and what to do."""
    done = subprocess.run([sys.executable, "-c", HIDDEN + EACH, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    slower, in_words = (json.loads(line) for line in done.stdout.splitlines())
    assert slower["shown"] > 1
    assert in_words["shown"] == 0
    assert (slower["fault"], slower["mail"]["level"]) == (None, "OK")
    assert slower["pictures"]["level"] == "OK"
    assert "resvg" in slower["pictures"]["said"]
    assert "libEGL.so.1" in slower["pictures"]["said"]
    assert "libegl1 libgl1" in slower["pictures"]["todo"]
    assert in_words["fault"].startswith("ImportError at encode.py:")
    assert in_words["pictures"]["level"] == "FAIL"
    assert "libegl1 libgl1" in in_words["pictures"]["todo"]


@needs_skia
def test_skia_draws_where_it_can_be_imported() -> None:
    assert encode.skia_or_resvg_renderer().name == "Skia"


def test_a_panic_in_resvg_is_raised_as_a_runtime_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As pyo3 raises it."""

    def panic(**_: object) -> bytes:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(resvg_py, "svg_to_bytes", panic)
    with pytest.raises(RuntimeError, match="resvg"):
        resvg_renderer.Drawing('<svg viewBox="0 0 9 9"></svg>', 9, 9, None)


def test_the_container_image_has_the_libraries_of_skia() -> None:
    installed = (ROOT / "Dockerfile").read_text().partition("apt-get install")[2].partition("rm -rf")[0].split()
    assert {"libegl1", "libgl1"} <= {*installed}


@pytest.mark.long
def test_no_test_module_imports_skia_at_its_top() -> None:
    """Else `make test` fails where its libraries are missing."""
    needing = {"import skia", "lettering", "skia_renderer"}
    for path in ROOT.glob("tests/**/*.py"):
        for one in ast.parse(path.read_text("utf-8")).body:
            names = {alias.name for alias in one.names} if isinstance(one, ast.ImportFrom) else {ast.unparse(one)}
            assert not names & needing, path
