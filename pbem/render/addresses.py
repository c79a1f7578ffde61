"""Email addresses as they are shown where the whole one is nobody's business."""


def mask_address(address: str) -> str:
    """Returns the address with its local part hidden except for the first letter.

    >>> mask_address("alice@example.org")
    'a***@example.org'
    """
    local, _, domain = address.rpartition("@")
    return f"{local[:1]}***@{domain}"
