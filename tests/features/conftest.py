"""The houses of the services, the pages of the web and the command `pbem`, for tests of features."""

from tests.commands.conftest import bare as bare
from tests.services.conftest import house as house
from tests.services.conftest import house_with_caps as house_with_caps
from tests.services.conftest import make_house as make_house
from tests.web.conftest import clock as clock
from tests.web.conftest import hogen as hogen
from tests.web.conftest import make_web as make_web
from tests.web.conftest import new_match as new_match
from tests.web.conftest import web as web
