"""SVG as pixels: every element that boards use, what is refused, and the boards and covers of the five games.

The thumbnails of boards were made by another renderer (resvg). Anyone who changes a board or a cover looks at its
picture, and records them:

    python -m tests.render.test_raster
"""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageStat

from benchmarks import boards
from pbem.games import all_games, find_game, folder_of_game
from pbem.kit.contract import AnyGame
from pbem.mail.compose import PICTURE_WIDTH
from pbem.render import pictures
from pbem.render.phrases import isolate_direction
from pbem.render.pictures import Theme
from pbem.render.raster import encode, fonts, resvg_renderer, styles
from tests.harness.cases import cases
from tests.render import skia
from tests.render.skia import needs_skia
from tests.render.stage.raster import FADE, RENDERERS, STYLE, WIDTH, open_image

THUMBNAILS = Path(__file__).parent / "thumbnails"
THUMBNAIL = 39
"""The width of a thumbnail: its pixels are 20 of the picture wide."""
THEMES: tuple[Theme, ...] = ("light", "dark")
MOST = 90_000
"""A picture has at most this many bytes."""
DOWN, ACROSS, TURNED = 'x2="0" y2="1"', 'x2="1" y2="0"', ' gradientTransform="rotate(90)"'
RED, BLUE, GREEN, WHITE = (255, 0, 0), (0, 0, 255), (0, 255, 0), (255, 255, 255)


@pytest.fixture(params=sorted(RENDERERS))
def by_each(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Has each of the two renderers draw."""
    name: str = request.param
    monkeypatch.setattr(encode, "skia_or_resvg_renderer", lambda: RENDERERS[name])
    return name


def draw_elements(inside: str, style: str = STYLE) -> Image.Image:
    """The picture of these elements, 100 pixels wide and high."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 50">{style}{inside}</svg>'
    return open_image(encode.render_png(svg, 100))


def text_embedded(words: str) -> str:
    """A document with these words in another one."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 50"><text y="30">{words}</text></svg>'
    return pictures.embed_document(svg, 0, 0, 50, 50, "xMidYMid meet")


SYMBOL = '<symbol id="s" viewBox="0 0 10 10"><rect class="k" width="10" height="10"/></symbol>'


@pytest.mark.usefixtures("by_each")
@cases(
    "inside, at, colour",
    [
        ('<rect class="r" x="10" y="10" width="20" height="20"/>', (40, 40), RED),
        ('<rect class="r" x="10" y="10" width="20" height="20" rx="10"/>', (21, 21), WHITE),
        ('<rect class="r" x="10" y="10" width="20" height="20" opacity="0"/>', (40, 40), WHITE),
        ('<g visibility="hidden"><rect class="r" x="10" y="10" width="20" height="20"/></g>', (40, 40), WHITE),
        ('<rect class="o" x="10" y="10" width="20" height="20" stroke-width="4"/>', (20, 40), BLUE),
        ('<path class="o" stroke-width="4" stroke-dasharray="10 10" d="M0 25H50"/>', (10, 50), BLUE),
        ('<path class="o" stroke-width="4" stroke-dasharray="10 10" d="M0 25H50"/>', (30, 50), WHITE),
        ('<circle class="r" cx="25" cy="25" r="10"/>', (50, 32), RED),
        ('<ellipse class="r" cx="25" cy="25" rx="20" ry="5"/>', (50, 32), WHITE),
        ('<path class="r" d="M10,10 h20 v20 H10 Z"/>', (40, 40), RED),
        ('<path class="r" d="M5 25 a20 20 0 0 1 40 0z"/>', (50, 20), RED),
        ('<path class="r" d="M5 25C5 0 45 0 45 25S5 50 5 25z M0 0L1 0Q1 1 0 1z"/>', (50, 70), RED),
        ('<g transform="translate(20,20) scale(2)"><rect class="r" width="5" height="5"/></g>', (58, 58), RED),
        ('<g transform="rotate(90 25 25)"><rect class="r" width="10" height="50"/></g>', (50, 10), RED),
        (f'{SYMBOL}<use href="#s" class="g" x="20" y="20" width="10" height="10"/>', (50, 50), GREEN),
        (f'{SYMBOL}<use href="#s" class="g" width="20" height="10" transform="rotate(45)"/>', (7, 21), GREEN),
        (f'{SYMBOL}<use href="#s" class="g" x="20" y="20" width="30" height="10"/>', (45, 50), WHITE),
        (f'{SYMBOL}<use href="#s" class="g"/>', (98, 98), GREEN),
        ('<clipPath id="c"><rect width="20" height="20"/></clipPath>'
         '<g clip-path="url(#c)"><rect class="r" width="50" height="50"/></g>', (50, 50), WHITE),
        (f'{FADE}<rect fill="url(#sky)" width="50" height="50"/>', (50, 0), (0, 0, 0)),
        (f'{FADE}<rect fill="url(#sky)" width="50" height="50"/>', (50, 99), WHITE),
    ],
)  # fmt: skip
def test_each_svg_element_is_drawn_at_its_place(inside: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    found = draw_elements(inside).getpixel(at)
    assert isinstance(found, tuple)
    assert max(abs(a - b) for a, b in zip(found, colour, strict=True)) <= 8


@pytest.mark.usefixtures("by_each")
def test_a_gradient_has_no_visible_steps() -> None:
    column = (
        draw_elements(f'{FADE}<rect fill="url(#sky)" width="50" height="50"/>').convert("L").resize((1, 25)).tobytes()
    )
    assert sorted(column) == list(column)
    assert max(b - a for a, b in pairwise(column)) < 30


@needs_skia
@cases("ground", ["#1d2f2b", "#e8dcc4", "#ffffff"])
def test_a_fading_colour_is_drawn_only_in_its_shades_on_the_ground(ground: str) -> None:
    """Another colour would be a band across the sky."""
    fade = styles.Fade(0x4F7098, 0.5, 0)
    stops = '<stop stop-color="#4f7098" offset="0" stop-opacity="0.5"/><stop stop-color="#4f7098" offset="1" '
    gradient = f'<linearGradient id="l" x1="0" y1="0" x2="0" y2="1">{stops}stop-opacity="0"/></linearGradient>'
    box = 'width="50" height="50"'
    found = draw_elements(f'{gradient}<rect fill="{ground}" {box}/><rect fill="url(#l)" {box}/>').getcolors()
    assert found is not None
    shades = encode.fade_shades(int(ground[1:], 16), fade)
    assert {colour for _, colour in found} <= {*shades}
    assert len(found) > len(shades) / 3


@pytest.mark.usefixtures("by_each")
@cases("ground, sky, over, opacity", [
    ("#e8dcc4", 0x4F7098, 0xD5D3A0, 0.5),  # as the map of Niigata
    ("#1d2f2b", 0x4F7098, 0xA0D0B0, 0.12),  # as a field of the witches' race
    ("#fdf9f0", 0x203040, 0xC03060, 0.3),
])  # fmt: skip
def test_a_translucent_colour_is_blended_exactly(ground: str, sky: int, over: int, opacity: float) -> None:
    """Within 1 of 255 in each channel where the ground is even; under the sky within half a cell, which is 8 wide."""
    stop = f'<stop stop-color="#{sky:06x}" offset='
    gradient = f'<linearGradient id="l" x1="0" y1="0" x2="0" y2="1">{stop}"0" stop-opacity="0.5"/>{stop}"1" '
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{gradient}stop-opacity="0"/></linearGradient>'
        f'<rect fill="{ground}" width="100" height="100"/><rect fill="url(#l)" width="100" height="40"/>'
        f'<rect fill="#{over:06x}" fill-opacity="{opacity}" width="100" height="100"/></svg>'
    )
    found = np.asarray(open_image(encode.render_png(svg, 640)), float).reshape(160, 4, 640, 3).mean((1, 2))
    fades = np.clip(1 - (np.arange(160) + 0.5) / 64, 0, 1)[:, None] / 2
    below, above, on_top = (np.array([*one.to_bytes(3, "big")], float) for one in (int(ground[1:], 16), sky, over))
    seen = below + (above - below) * fades
    apart = found - (seen + (on_top - seen) * opacity)
    assert np.abs(apart.reshape(40, 4, 3).mean(1)).max() <= 4
    assert np.abs(apart).mean() <= 1
    assert np.abs(apart[64:]).max() <= 1


@pytest.mark.usefixtures("by_each")
@cases("anchor, left, right", [("", 25, 50), ("m", 10, 40), ("e", 0, 25)])
def test_a_line_of_text_begins_is_centred_or_ends_at_its_place(anchor: str, left: int, right: int) -> None:
    box = ImageChops.invert(draw_elements(f'<text class="{anchor}" x="25" y="30" font-size="9">Alice</text>')).getbbox()
    assert box is not None
    assert 2 * left <= box[0] < box[2] <= 2 * right
    assert 40 <= box[1] < box[3] <= 62


@pytest.mark.usefixtures("by_each")
@cases("size", [9, 10.4, 11.7, 13.3])
def test_a_line_of_text_stands_on_its_baseline(size: float) -> None:
    box = ImageChops.invert(draw_elements(f'<text y="30" font-size="{size}">HEF</text>')).getbbox()
    assert box is not None
    assert box[3] == 60


@pytest.mark.usefixtures("by_each")
@cases(
    "inside",
    [
        '<polygon points="0,0 9,9 0,9"/>', "<text>a<tspan>b</tspan></text>", "words", "<g>", "</g>", "<g", "&lt",
        '<rect width="9" height="9" ry="4"/>', '<rect width="9" height="9" fill="red"/>', '<path d="M0 0T9 9"/>',
        '<text letter-spacing="2">a</text>', '<g transform="skewX(9)"/>', '<g clip-path="url(#gone)"/>',
        '<use href="#gone"/>', '<rect width="9" height="9" fill="url(#gone)"/>', '<path d="M0"/>', '<path d="M0 0Z9"/>',
        '<image href="http://example.org/a.png" width="9" height="9"/>', '<g filter="url(#f)"/>',
        f'{FADE}<circle fill="url(#sky)" r="9"/>',
        f'{FADE.replace(DOWN, ACROSS)}<rect fill="url(#sky)" width="9" height="9"/>',
        f'{FADE.replace(DOWN, DOWN + TURNED)}<rect fill="url(#sky)" width="9" height="9"/>',
        f'{FADE}<rect fill="url(#sky)" width="9" height="9" opacity=".5"/>',
        f'{FADE}<rect fill="url(#sky)" width="9" height="9" fill-opacity=".5"/>',
        f'{FADE}<rect fill="url(#sky)" width="9" height="9" stroke="#000"/>',
        f'{FADE}<rect fill="url(#sky)" width="9" height="9" rx="4"/>',
        f'{FADE}<g transform="rotate(45)"><rect fill="url(#sky)" width="9" height="9"/></g>',
        '<text y="9" stroke="#000">a</text>', '<svg viewBox="0 0 9 9"><rect width="9" height="9"/></svg>',
        '<symbol id="s" viewBox="0 0 9 9"><svg viewBox="0 0 3 3"></svg></symbol><use href="#s"/>',
        '<rect width="9" height="9" opacity="2"/>', '<g opacity="-1"/>', '<rect width="9" fill-opacity="2"/>',
        '<g transform="rotate(10 5)"/>', '<g transform="scale(1 2 3)"/>', '<g transform="translate(1 2 3)"/>',
    ],
)  # fmt: skip
def test_an_unknown_svg_element_or_attribute_is_refused(inside: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        draw_elements(inside)


@pytest.mark.usefixtures("by_each")
@cases("svg", ['<svg viewBox="0 0 9 9"></svg>words', '<svg viewBox="0 0 9 9"><!-- words --></svg>'])
def test_text_outside_of_svg_text_elements_is_refused(svg: str) -> None:
    with pytest.raises(ValueError, match=r"words"):
        encode.render_png(svg, 9)


@pytest.mark.usefixtures("by_each")
@cases("style", ["<style>rect { fill: #000; }</style>", "<style>.a { filter: none; }</style>"])
def test_a_style_that_a_picture_does_not_know_is_refused(style: str) -> None:
    with pytest.raises(ValueError, match="knows"):
        draw_elements("", style)


@cases(
    "name",
    [
        "Алиса", "Αλίκη", "Łucja", "Şirin", "Việt", "أليس", "אליס", "愛麗絲", "アリス", "앨리스", "😀", "👩\u200d🚀",
        "⚔\ufe0f", "ᚠᛇᚻ", "\U00010980",
    ],
)  # fmt: skip
def test_a_name_in_any_script_is_never_a_box(name: str, by_each: str) -> None:
    """Each letter has a font that holds it, or Latin letters stand for it."""
    has_font = skia.lettering.has_font_with_letter if by_each == "Skia" else resvg_renderer.has_font_with_letter
    for letter in name:
        assert has_font(letter) or fonts.transcribe_letter_to_ascii(letter).isascii()
    assert draw_elements(f'<text y="30" font-size="9">{name}</text>') != draw_elements(
        '<text y="30" font-size="9">\ufffd</text>'
    )


@pytest.mark.long
@pytest.mark.usefixtures("by_each")
def test_a_number_beside_an_isolated_right_to_left_name_keeps_its_side() -> None:
    """Without the isolate, the number stands on the other side of the name."""

    def draw_words(words: str) -> Image.Image:
        return draw_elements(f'<text y="30" font-size="9">{words}</text>')

    assert draw_words(f"{isolate_direction('אליס')} 2") == draw_words("אליס\u200e 2") != draw_words("אליס 2")


def test_resvg_writes_letters_without_a_font_in_latin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode, "skia_or_resvg_renderer", lambda: RENDERERS["resvg"])
    monkeypatch.setattr(resvg_renderer, "has_font_with_letter", lambda letter: letter.isascii())
    assert draw_elements('<text y="30">Αλίκη</text>') == draw_elements('<text y="30">Aliki</text>')
    with monkeypatch.context() as known:
        known.setattr(resvg_renderer, "has_font_with_letter", lambda letter: True)
        boxes = draw_elements(text_embedded("\ue000\ue001"))
    assert draw_elements(text_embedded("Αλίκη")) == draw_elements(text_embedded("Aliki")) != boxes


@needs_skia
def test_skia_writes_letters_without_a_font_in_latin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skia.lettering, "has_font_with_letter", lambda letter, weight=400: letter.isascii())
    skia.lettering.typeset_line.cache_clear()
    try:
        assert draw_elements('<text y="30">Αλίκη</text>') == draw_elements('<text y="30">Aliki</text>')
    finally:
        skia.lettering.typeset_line.cache_clear()


@needs_skia
@pytest.mark.parametrize("shapeless", ["\U000e0100", "\u180b", "\u115f", "\u3164", "\ufe0f", "\u200d"])
def test_letters_without_a_visible_shape_are_left_out_of_pictures(
    shapeless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skia.lettering, "has_font_with_letter", lambda letter, weight=400: letter.isascii())
    skia.lettering.typeset_line.cache_clear()
    try:
        assert draw_elements(f'<text y="30">Al{shapeless}ice</text>') == draw_elements('<text y="30">Alice</text>')
    finally:
        skia.lettering.typeset_line.cache_clear()


@needs_skia
@cases("sign", ["\ufff9", "\u0600"])
def test_a_formatting_sign_that_is_visible_is_drawn(sign: str) -> None:
    assert skia.lettering.has_font_with_letter(sign) or fonts.transcribe_letter_to_ascii(sign)
    assert draw_elements(f'<text y="30">{sign}</text>') != draw_elements('<text y="30"></text>')


# --- what threads share ---------------------------------------------------------------------------

FOUR_THREADS = """
import os
from threading import Barrier, Thread
import skia
from pbem.render.raster import lettering

made, start, new, find = [], Barrier(4), skia.textlayout.TypefaceFontProvider, skia.FontMgr.RefDefault

def slow_provider():
    made.append(1)
    for _ in range(500):
        os.stat(".")  # lets another thread go on
    return new()

def loud_fonts():
    os.write(2, b"Fontconfig warning: unknown element\\n")
    os.write(2, b"Bob was here\\n")
    return find()

def write():
    start.wait()
    lettering.typeset_line("Alice", 20.0, 400, 0xff000000)

skia.textlayout.TypefaceFontProvider, skia.FontMgr.RefDefault = slow_provider, loud_fonts
before = os.fstat(2)
threads = [Thread(target=write) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(made), os.path.samestat(os.fstat(2), before))
"""


@needs_skia
def test_several_threads_load_the_fonts_once_and_keep_standard_error() -> None:
    done = subprocess.run([sys.executable, "-c", FOUR_THREADS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "True"]
    assert done.stderr == "Bob was here\n"


def test_threads_share_one_palette_for_one_style_sheet() -> None:
    colours, start = ("#102030", "#405060", "#708090"), Barrier(4)

    def draw_together(_: int) -> encode.Palette:
        start.wait()
        return encode.picture_palette(colours, ())

    with ThreadPoolExecutor(4) as threads:
        assert len({id(found) for found in threads.map(draw_together, range(4))}) == 1


def test_a_missing_font_is_an_error_and_no_picture_without_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "FILES", (*fonts.FILES, "Missing-400.ttf"))
    with pytest.raises(FileNotFoundError, match="Missing-400"):
        fonts.font_files.__wrapped__()


# --- the palette ----------------------------------------------------------------------------------


def test_each_cell_of_the_colour_table_has_the_nearest_palette_colour() -> None:
    """But for the cells of the sheet's own colours, which are exact."""
    narrow = encode.picture_palette(("#102030", "#d04010", "#208040"), ())
    for known in (narrow, encode.add_colours(narrow, (0x8090E0, 0x00FFFF))):
        colours = [tuple(known.colours[n : n + 3]) for n in range(0, len(known.colours), 3)]
        for cell in range(0, 1 << 16, 97):
            middle = ((cell >> 11) * 255 / 31, (cell >> 5 & 63) * 255 / 63, (cell & 31) * 255 / 31)
            apart = [sum((a - b) ** 2 for a, b in zip(middle, colour, strict=True)) for colour in colours]
            assert apart[known.table[cell]] <= min(apart) + 0.1, cell


# --- the games ------------------------------------------------------------------------------------


def document_of_game(game: AnyGame, seats: int, decisions: int, theme: Theme = "light") -> str:
    svg = boards.draw_board(boards.table_after(game, seats, decisions))
    return pictures.board_document(game, svg, boards.NAMES[:seats], theme)


def thumbnail_of_svg(svg: str) -> Image.Image:
    image = open_image(encode.render_png(svg, WIDTH))
    return image.resize((THUMBNAIL, round(image.height * THUMBNAIL / image.width)), Image.Resampling.BOX)


def cover_document(game: AnyGame, theme: Theme) -> str:
    return pictures.board_document(game, str(pictures.cover_svg(game, "en")), (), theme)


def check_thumbnail(svg: str, name: str) -> None:
    """Compares a drawing with the thumbnail of this name."""
    found = thumbnail_of_svg(svg)
    with Image.open(THUMBNAILS / f"{name}.png") as known:
        assert found.size == known.size
        apart = ImageChops.difference(found, known.convert("RGB"))
    assert sum(ImageStat.Stat(apart).mean) / 3 < 3
    assert max(ImageStat.Stat(band).extrema[0][1] for band in apart.split()) < 60


@pytest.mark.long
@cases("slug", sorted(all_games()))
@cases("theme", THEMES)
def test_the_png_of_a_board_equals_the_stored_one(slug: str, theme: Theme) -> None:
    game = find_game(slug)
    assert game is not None
    check_thumbnail(document_of_game(game, 4, 12, theme), f"{slug}-{theme}")


@cases("slug", sorted(all_games()))
@cases("theme", THEMES)
def test_the_png_of_a_cover_equals_the_stored_one(slug: str, theme: Theme) -> None:
    game = find_game(slug)
    assert game is not None
    check_thumbnail(cover_document(game, theme), f"cover-{slug}-{theme}")


@pytest.mark.long
@pytest.mark.usefixtures("by_each")
@cases("slug", sorted(all_games()))
def test_every_symbol_of_a_game_can_be_drawn(slug: str) -> None:
    game = find_game(slug)
    assert game is not None
    names = re.findall(r'<symbol id="([^"]+)"', (folder_of_game(slug) / "parts.svg").read_text("utf-8"))
    empty = encode.render_png('<svg viewBox="0 0 64 64"></svg>', 64)
    for name in names:
        svg = f'<svg viewBox="0 0 64 64"><g class="c1"><use href="#{name}" width="64" height="64"/></g></svg>'
        assert open_image(pictures.board_png(game, svg, (), 64)) != open_image(empty), name


@cases("slug", sorted(all_games()))
def test_the_png_of_each_games_board_stays_within_its_size_limit(slug: str) -> None:
    game = find_game(slug)
    assert game is not None
    for seats in {game.meta.seats[0], game.meta.seats[-1]}:
        data = encode.render_png(document_of_game(game, seats, 30), PICTURE_WIDTH)
        assert len(data) <= MOST


def main() -> None:
    """Records the thumbnails."""
    for game in boards.games_by_slug():
        for theme in THEMES:
            for name, svg in (("", document_of_game(game, 4, 12, theme)), ("cover-", cover_document(game, theme))):
                thumbnail_of_svg(svg).save(THUMBNAILS / f"{name}{game.meta.slug}-{theme}.png", optimize=True)


if __name__ == "__main__":
    main()
