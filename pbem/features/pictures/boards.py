"""The boards of a replay that is saved as a page, packed: one is much like the next, so each piece is kept once.

A worker adds boards in several runs (`drawing`); in between, the boards so far are the data of the picture. What
it leaves for the page in the end:

    {"boards": "…", "uses": "<use …><use …>", "draws": [draw, …] | null}

`boards` is `{"pieces": ["<g>", …], "frames": [[0, 4, …], …]}` in JSON, compressed by raw deflate and in Base64; a board
is its pieces, joined. `uses` are the pieces that show symbols. `draws` is what was drawn in the match, in the form of
docs/chance.md; null without a seed.
"""

import base64
import re
import zlib
from typing import Any

import msgspec

from pbem.kit.codec import encode
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.repetition import draws_of_rules_and_clock

MOST = 3000
"""The most steps of a page."""
_PIECE = re.compile("<[^<]*|[^<]+")


class SavedBoards(msgspec.Struct, frozen=True):
    """What a saved page is made of, besides the story and the log."""

    boards: str
    uses: str
    draws: list[Any] | None


class Boards:
    """Boards of a replay, in order."""

    def __init__(self, data: bytes = b"") -> None:
        """Begins with the boards that `data_for_next_run` returned."""
        kept = msgspec.json.decode(zlib.decompress(data)) if data else {"pieces": [], "frames": []}
        self._pieces: dict[str, int] = {piece: at for at, piece in enumerate(kept["pieces"])}
        self._frames: list[list[int]] = kept["frames"]

    def add(self, board: str) -> None:
        """Adds the board of the next step."""
        pieces = self._pieces
        self._frames.append([pieces.setdefault(piece, len(pieces)) for piece in _PIECE.findall(board)])

    def data_for_next_run(self) -> bytes:
        """Returns the boards so far, for the next run."""
        return zlib.compress(self._boards_as_json(), 1)

    def data_of_saved_page(self, log: Log) -> bytes:
        """Returns all that the page needs, with what was drawn in this log."""
        packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
        packed = packer.compress(self._boards_as_json()) + packer.flush()
        uses = "".join(piece for piece in self._pieces if piece.startswith("<use"))
        draws = (
            None if log.seed is None or log.proof is None else list(msgspec.to_builtins(draws_of_rules_and_clock(log)))
        )
        return encode(SavedBoards(base64.b64encode(packed).decode(), uses, draws))

    def _boards_as_json(self) -> bytes:
        return encode({"pieces": [*self._pieces], "frames": self._frames})
