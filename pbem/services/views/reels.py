"""The frames of a stretch of a replay, for a GIF that grows frame by frame, or as a picture of their own."""

from collections.abc import Sequence

from PIL.Image import Image

from pbem.render import gif, phrases, replay_frames
from pbem.render.i18n import translator
from pbem.render.pictures import Theme, plain_png
from pbem.render.replay_frames import Frame
from pbem.services.views.replays import Replay, Step

PAUSE_MS = 3000
"""For how long the last frame stands at least."""
PNG_WIDTH = 1200
SAMPLES = 5
"""How many of its frames decide a GIF's palette, spread over the stretch."""


class Reel:
    """The frames of a stretch of a replay, drawn when they are asked for."""

    def __init__(self, seen: Replay, steps: Sequence[Step], theme: Theme) -> None:
        self.seen, self.steps, self.theme = seen, steps, theme
        self._said = [phrases.text(step.text, seen.names) for step in steps]
        self._lines = replay_frames.lines(self._said)
        self._drawn: dict[int, Image] = {}
        self._latest: tuple[int, Image] | None = None

    def head(self) -> bytes:
        """Returns the head of the GIF: its size, which all frames fit into, and a palette from some of them."""
        height = replay_frames.board_height(self.seen.board(step) for step in self.steps)
        chosen = sorted({round(n * (len(self.steps) - 1) / (SAMPLES - 1)) for n in range(SAMPLES)})
        self._drawn = {at: self._picture(at, height) for at in chosen}
        palette = gif.palette_of([*self._drawn.values()])
        return gif.head((replay_frames.WIDTH, height + replay_frames.text_height(self._lines)), palette)

    def frame(self, data: bytes, at: int, shown_ms: int) -> bytes:
        """Returns the frame of the at-th step, counted from 0, of the GIF that begins with this data."""
        last = at == len(self.steps) - 1
        before = None
        if at:
            before = self._latest[1] if self._latest and self._latest[0] == at - 1 else self._indexed(data, at - 1)
        self._latest = at, self._indexed(data, at)
        return gif.frame(self._latest[1], before, max(shown_ms, PAUSE_MS) if last else shown_ms)

    def png(self) -> bytes:
        """Returns the first step as a picture of its own, larger and with its whole sentence."""
        height = replay_frames.board_height([self.seen.board(self.steps[0])])
        count = replay_frames.lines(self._said[:1], replay_frames.MANY_LINES)
        return plain_png(self._document(0, height, count), PNG_WIDTH)

    def _indexed(self, data: bytes, at: int) -> Image:
        height = gif.size_in(data)[1] - replay_frames.text_height(self._lines)
        return gif.indexed(self._picture(at, height), gif.palette_in(data))

    def _picture(self, at: int, height: int) -> Image:
        """Returns the frame in all its colours; those of the palette are kept, and given away with their frame."""
        known = self._drawn.pop(at, None)
        if known is not None:
            return known
        return gif.opened(plain_png(self._document(at, height, self._lines), replay_frames.WIDTH))

    def _document(self, at: int, height: int, count: int) -> str:
        seen, step = self.seen, self.steps[at]
        number = translator(seen.lang).gettext("Step %(number)s") % {"number": step.n}
        caption = f"{seen.game.meta.title[seen.lang]} · {number}"
        frame = Frame(seen.game, seen.board(step), seen.names, caption, self._said[at])
        return replay_frames.document(frame, height, count, self.theme)
