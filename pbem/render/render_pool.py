"""Draws pictures in separate processes: the renderer holds the interpreter lock while it draws.

    a thread of a worker ── request ──> python -m pbem.render.render_pool ── picture ──> the same thread

A process that draws has two to four renderers, by the number of processors; each starts with its first picture, and all
end with the process. A renderer that dies or hangs costs only its current picture: the next one gets a new renderer.
The same holds after a picture that nobody waited for, so that its remaining output is not mistaken for the next one.
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

from pbem.processors import USABLE, pin_to

LIMIT_S = 60.0
"""A picture takes a fraction of a second; a renderer that takes this long hangs."""
_SIZE = 4


class Renderer:
    """One drawing process, started when it is needed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def draw(self, **options: Any) -> bytes:
        """Returns the renderer's picture. Raises ValueError as the renderer does, EOFError if it dies or hangs."""
        if self.process is None or self.process.poll() is not None:
            argv = [sys.executable, "-m", __name__, *map(str, USABLE)]
            # In a group of its own: on Ctrl-C the worker finishes its mail, for which it needs this process.
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
            self.close()  # otherwise its picture would answer the next request
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
                with suppress(OSError):  # nobody needs what was not sent yet
                    pipe.close()  # type: ignore[union-attr]  # both were asked for


_free: queue.LifoQueue[Renderer] = queue.LifoQueue()
for _ in range(max(2, min(os.cpu_count() or 1, 4))):
    _free.put(Renderer())


def draw(**options: Any) -> bytes:
    """Returns what `resvg_py.svg_to_bytes` would, while other threads run. Raises as `Renderer.draw`."""
    renderer = _free.get()
    try:
        return renderer.draw(**options)
    finally:
        _free.put(renderer)


def _put(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(_SIZE, "big") + data)
    pipe.flush()


def _await(pipe: IO[bytes]) -> None:
    """Waits until the pipe has data. Raises EOFError if none arrives in time."""
    look = select.poll()
    look.register(pipe.fileno(), select.POLLIN)
    if not look.poll(LIMIT_S * 1000):
        raise EOFError("no picture in time")


def take(pipe: IO[bytes]) -> bytes:
    """Returns the next message in the pipe, without its length. Raises EOFError if it breaks off."""
    size = pipe.read(_SIZE)
    data = pipe.read(int.from_bytes(size, "big"))
    if len(size) < _SIZE or len(data) < int.from_bytes(size, "big"):
        raise EOFError
    return data


def main() -> None:
    """Draws what comes in until the input ends. Runs on any processor, even if the asking thread is pinned to one."""
    import resvg_py

    pin_to(map(int, sys.argv[1:]))
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
                os._exit(0)  # the asking process has died; on an orderly exit Python would try to write it again


if __name__ == "__main__":
    main()
