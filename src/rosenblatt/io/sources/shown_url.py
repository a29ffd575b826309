"""URLs without users, passwords and keys, for messages and logs."""

import re

_USER = re.compile(r"(?<=://)[^/?#@]*@")
_VALUE = re.compile(r"([?&])([^=&#]+)=([^&#]*)")
# These say where a file is, not who may read it.
_HARMLESS = ("endpoint_override", "scheme", "region")


def shown_url(url: str) -> str:
    """Return a URL without its credentials: user, password, signature, token.

    >>> shown_url("s3://KEY:SECRET@bucket/part.csv?region=eu-west-1&token=abc")
    's3://…@bucket/part.csv?region=eu-west-1&token=…'
    >>> shown_url("data/a@b.csv")
    'data/a@b.csv'
    """
    if "://" not in url:
        return url
    return _VALUE.sub(_hidden, _USER.sub("…@", url, count=1))


def _hidden(found: re.Match[str]) -> str:
    sign, key, value = found.groups()
    return f"{sign}{key}={value if key in _HARMLESS else '…'}"
