"""The letter of `links`, to the owner of a seat whose links were renewed on its page."""

from __future__ import annotations

from pbem.mail.kinds.links import MyLinks
from pbem.mail.letters import Kind

KIND = Kind(MyLinks)
