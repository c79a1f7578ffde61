"""Pictures drawn in processes of their own: the renderer keeps the whole interpreter waiting while it draws.

    a thread of a worker ── request ──> python -m pbem.render.render_pool ── picture ──> the same thread

A process that asks has two to four such processes, by the number of processors, each from its first picture on; they
end when it does. One that dies under a picture, or hangs, costs this picture alone: the next one gets a new process. So
does the one after a picture that nobody waited for to the end: what is still to come of it is not taken for another's.
"""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any

from pbem.processors import USABLE, keep_to

LIMIT_S = 60.0
"""A picture takes a fraction of a second; who takes so long will not come back."""
_SIZE = 4


class Renderer:
    """One process that draws, started when it is needed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def draw(self, **options: Any) -> bytes:
        """What the renderer gives for these options. Raises ValueError as it does, EOFError when it dies or hangs."""
        if self.process is None or self.process.poll() is not None:
            argv = [sys.executable, "-m", __name__, *map(str, USABLE)]
            # In a group of its own: Ctrl-C lets the worker finish its mail, and this with it.
            self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            _put(self.process.stdin, json.dumps(options).encode())
            _await(self.process.stdout)
            answer = take(self.process.stdout)
        except (OSError, EOFError) as error:
            self.close()
            raise EOFError("the renderer died") from error
        except BaseException:
            self.close()  # its picture would be the answer to the next request
            raise
        if answer[:1] != b"+":
            raise ValueError(answer[1:].decode())
        return answer[1:]

    def close(self) -> None:
        """Ends the process."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what was not sent yet is not missed
                    pipe.close()  # type: ignore[union-attr]  # both were asked for


_free: queue.LifoQueue[Renderer] = queue.LifoQueue()
for _ in range(max(2, min(os.cpu_count() or 1, 4))):
    _free.put(Renderer())


def draw(**options: Any) -> bytes:
    """What `resvg_py.svg_to_bytes` gives for these options, while other threads run. Raises as `Renderer.draw`."""
    renderer = _free.get()
    try:
        return renderer.draw(**options)
    finally:
        _free.put(renderer)


def _put(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(_SIZE, "big") + data)
    pipe.flush()


def _await(pipe: IO[bytes]) -> None:
    """Returns when something comes out of the pipe. Raises EOFError when nothing does in time."""
    look = select.poll()
    look.register(pipe.fileno(), select.POLLIN)
    if not look.poll(LIMIT_S * 1000):
        raise EOFError("no picture in time")


def take(pipe: IO[bytes]) -> bytes:
    """Returns the next message in the pipe, without its length. Raises EOFError where it breaks off."""
    size = pipe.read(_SIZE)
    data = pipe.read(int.from_bytes(size, "big"))
    if len(size) < _SIZE or len(data) < int.from_bytes(size, "big"):
        raise EOFError
    return data


def main() -> None:
    """Draws what comes in until nothing more does, on any processor: the thread that asks may keep to one."""
    import resvg_py

    keep_to(map(int, sys.argv[1:]))
    with suppress(EOFError):
        while True:
            options = json.loads(take(sys.stdin.buffer))
            try:
                answer = b"+" + bytes(resvg_py.svg_to_bytes(**options))
            except ValueError as error:
                answer = b"-" + str(error).encode()
            try:
                _put(sys.stdout.buffer, answer)
            except BrokenPipeError:
                os._exit(0)  # who asked has died; at an orderly end Python would try to write it once more


if __name__ == "__main__":
    main()
