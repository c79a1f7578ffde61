"""Houses with quotas and pages without boards, for tests of leagues."""

from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.services.conftest import house_with_caps as house_with_caps
