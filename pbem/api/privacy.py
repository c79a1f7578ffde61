"""A player's address, and his going away."""

from pbem.api.document import Endpoints

blueprint = Endpoints("privacy", "The caller's address, and erasing what is kept of him.")
