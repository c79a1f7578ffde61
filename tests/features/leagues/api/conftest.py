"""A table of Hogen behind the whole application, for leagues by the API."""

from tests.api.conftest import clock as clock
from tests.api.conftest import hogen as hogen
from tests.api.conftest import make_site as make_site
from tests.api.conftest import new_match as new_match
from tests.api.conftest import rest as rest
