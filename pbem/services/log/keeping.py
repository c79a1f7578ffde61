"""Keeps the folds of a long match that has none which can be read, once somebody has looked at it.

That is a match of an earlier release, of a game whose fold version was raised, or one from which moves were taken back
by such a release. All others keep theirs as they grow; see `table`.
"""

import structlog
from sqlalchemy import delete
from sqlmodel import col

from pbem.errors import Busy
from pbem.kit.folds import ends_of_decisions, fold_for_all, no_folds
from pbem.kit.replay import effective
from pbem.models.tables import FoldRow
from pbem.services.log import folds
from pbem.services.log.table import lock_table
from pbem.services.site import Site

log = structlog.get_logger()


def keep_folds(site: Site, match_id: str) -> None:
    """Keeps the folds of the match at two places of its log. A second call does the same again.

    If the database is busy or takes no changes, the next reader's call will do it.
    """
    try:
        with site.writing() as work:
            table = lock_table(work, match_id)
            if table.match.archived_at is not None:
                return
            work.exec(delete(FoldRow).where(col(FoldRow.match_id) == match_id))
            for n in ends_of_decisions(table.entries, folds.EVERY):
                known = fold_for_all(table.game, no_folds(len(table.seats)), effective(table.entries[:n]))
                for one in folds.keep(match_id, table.game, n, known):
                    one.statement.ask(work, one.values)
    except Busy as why:
        log.info("folds.unkept", match=match_id, why=type(why).__name__)
