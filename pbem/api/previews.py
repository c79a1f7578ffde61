"""What a move would do, as far as the seat's own view tells."""

from pbem.api.document import Endpoints

blueprint = Endpoints("previews", "A move tried before it is played.")
