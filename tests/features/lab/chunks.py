"""The matches of a plan, in chunks."""

from pbem.features.lab.plans import Chunk, Plan, chunks_of_plans_in_turn


def chunks_of(plan: Plan, matches: int, size: int) -> list[Chunk]:
    """Returns all matches of the plan in order, in chunks of `size`."""
    return [chunk for _, chunk in chunks_of_plans_in_turn([plan], matches, size)]
