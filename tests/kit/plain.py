"""A decoder's messages for developers, which differ from those for hosts."""

import re

DEVELOPERS = re.compile(
    r"`|\$\.|\bObject (contains|missing)|\bExpected\b|\benum\b|\bregex\b|\btruncated\b|msgspec|"
    r"(Key|Type|Value|Index|Attribute|Assertion)Error"
)
