"""The links of circles, in mails and in the hands of those who were sent one, stay valid."""

from __future__ import annotations

import pytest

from pbem.errors import Unauthorized
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.services.tokens import NeverClaim, Tokens

TOKENS = Tokens("a secret of these tests alone")
CIRCLE = "c0ffee.3.jN_xWs4Y8ru0OvoH2e2vN_v_Rx1ufxuraZL5dkggDqk"
MEMBER = "8.2.KoqR-Z04zZWHz73Mg0y0bG9Id808OQmppQxAxNJUpHc"


def test_a_circles_old_links_still_work_and_new_ones_have_the_same_bytes() -> None:
    assert TOKENS.read(CircleClaim, CIRCLE) == CircleClaim("c0ffee", 3)
    assert TOKENS.read(MemberClaim, MEMBER) == MemberClaim(8, 2)
    assert (TOKENS.sign(CircleClaim("c0ffee", 3)), TOKENS.sign(MemberClaim(8, 2))) == (CIRCLE, MEMBER)


def test_a_circles_link_is_invalid_for_another_purpose_or_site() -> None:
    other = Tokens("another secret")
    for token in (MEMBER, MEMBER[:-1], other.sign(CircleClaim("c0ffee", 3)), TOKENS.sign_for(NeverClaim, 8, "a@x.org")):
        with pytest.raises(Unauthorized):
            TOKENS.read(CircleClaim, token)
    for token in (CIRCLE, CIRCLE[:-1], other.sign(MemberClaim(8, 2)), TOKENS.sign_for(NeverClaim, 8, "a@x.org")):
        with pytest.raises(Unauthorized):
            TOKENS.read(MemberClaim, token)
