"""What differs in the forms of a page each time that it is made."""

from __future__ import annotations

import re

_NEW_EACH_TIME = re.compile(rb'name="(?:csrf_token|once)" value="[^"]+"')


def same_each_time(html: bytes) -> bytes:
    """Returns the page without the proofs of its forms' origin, and without what tells two presses of a button apart.

    Both are random, and reveal nothing.
    """
    return _NEW_EACH_TIME.sub(b"", html)
