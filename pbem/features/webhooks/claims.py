"""What the log hides of webhooks: the secrets that sign their calls, and the addresses of chats."""

SECRETS = (r"\b(whsec_)[\w+/=-]+", r"(/api(?:/v\d+)?/webhooks/|\bhooks\.slack\.com/\w+/)(?!<)[^\s\"'<>]+")
"""In the address of a chat's webhook, all that follows its beginning is its secret."""
