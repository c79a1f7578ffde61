"""How a decoder talks to developers, which is not how a host is talked to."""

import re

DEVELOPERS = re.compile(
    r"`|\$\.|\bObject (contains|missing)|\bExpected\b|\benum\b|\bregex\b|\btruncated\b|msgspec|"
    r"(Key|Type|Value|Index|Attribute|Assertion)Error"
)
