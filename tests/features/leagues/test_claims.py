"""The links in the mails of leagues stay valid."""

import pytest

from pbem.errors import Unauthorized
from pbem.features.leagues.claims import EntrantClaim, WeeklyClaim
from pbem.services.tokens import Tokens

TOKENS = Tokens("a secret of these tests alone")
DIGEST = "6c47e61d03ce6526a7cbb671aa01d65a90fafc6db2fa3c900618c13a231a20ed"
WEEKLY = f"5.{DIGEST}.wYjckguPG1IZ2DLlq9CcjctiX9tZY-cAhboZ9qJBYL0"
ENTRANT = f"5.{DIGEST}.P5doAn0JDlNCbjcb1BNUzEzRvRXn-qKx8uEvkl5ZnrU"


def test_a_seasons_old_links_still_work_and_new_ones_have_the_same_bytes() -> None:
    assert TOKENS.read(WeeklyClaim, WEEKLY) == WeeklyClaim(5, DIGEST)
    assert TOKENS.read(EntrantClaim, ENTRANT) == EntrantClaim(5, DIGEST)
    made = [TOKENS.sign_for(kind, 5, "alice@example.org") for kind in (WeeklyClaim, EntrantClaim)]
    assert made == [WEEKLY, ENTRANT]


def test_a_seasons_link_is_invalid_for_another_purpose() -> None:
    with pytest.raises(Unauthorized):
        TOKENS.read(WeeklyClaim, ENTRANT)
    with pytest.raises(Unauthorized):
        TOKENS.read(EntrantClaim, WEEKLY)
