"""What an organiser does with the seats of a match, and playing again."""

from pbem.api.document import Endpoints

blueprint = Endpoints("tables", "The seats of a match, and its rematch.")
