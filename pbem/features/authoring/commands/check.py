"""`pbem check`: checks a game for its author."""

import click


@click.command()
@click.argument("slug")
@click.option("--matches", type=click.IntRange(1), default=100, show_default=True, help="How many matches to play.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object: ok, who sees each field, and the checks.")
def check(slug: str, matches: int, as_json: bool) -> None:
    """Check a game, and say what is wrong to its author.

    That is: its rules on random matches, its secrets, texts and boards.

    Exit status 1 if something FAILs. Each line says what is wrong, and the next one what to do.
    """
    from pbem.features.authoring.checking import check_and_print  # which other commands need not wait for

    if not check_and_print(slug, matches, as_json=as_json):
        raise SystemExit(1)
