"""Events as they come, in one long answer."""

from pbem.api.document import Endpoints

blueprint = Endpoints("streams", "Events as they come.")
