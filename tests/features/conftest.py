"""The houses of the services and the pages of the web, for tests of features."""

from tests.services.conftest import house as house
from tests.services.conftest import make_house as make_house
from tests.web.conftest import begun as begun
from tests.web.conftest import clock as clock
from tests.web.conftest import hogen as hogen
from tests.web.conftest import make_web as make_web
from tests.web.conftest import web as web
