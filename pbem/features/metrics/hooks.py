"""What metrics add to what others do: the processes of the site add up what they count."""

from pbem.services.hooks import Hooks

HOOKS = Hooks(shows_counts=True)
