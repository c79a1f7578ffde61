"""The production topology, as its own tests have it."""

from tests.production.conftest import bare as bare
