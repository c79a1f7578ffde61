"""The matches of a player, for his programs."""

from pbem.api.document import Endpoints

blueprint = Endpoints("mine", "The caller's matches.")
