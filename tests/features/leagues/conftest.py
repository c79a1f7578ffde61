"""Houses with quotas and pages without boards, for tests of leagues."""

from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.services.conftest import capped_house as capped_house
