"""The letter of `links`, to the owner of a seat whose links were renewed on its page."""

from pbem.mail.letters import Kind
from pbem.services.mail.kinds.links import MyLinks, build

KIND = Kind(MyLinks, build)
