"""Webhooks: the addresses we call when something happens."""

from pbem.api.document import Endpoints

blueprint = Endpoints("webhooks", "Where the caller wants to be called.")
