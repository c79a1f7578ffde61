"""Personal tokens: what a player gives his programs in place of his links."""

from pbem.api.document import Endpoints

blueprint = Endpoints("tokens", "The caller's personal tokens.")
