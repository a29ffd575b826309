"""Exceptions and shared messages; each message names the place, the bad value and the way out."""


class InputError(ValueError):
    """An unusable value, file or line; the message is one sentence for the user."""


class InterruptionError(Exception):
    """The user pressed Ctrl-C."""


class ClosedPipeError(Exception):
    """The output pipe was closed."""


def update_too_large() -> InputError:
    """Return the error for a weight update whose squared length overflows."""
    return InputError(
        "the squared length of a weight update overflows float64: scale X, sample_weight or "
        "class_weight down, well below 1e150"
    )


def quoted(text: str) -> str:
    """Return a text in quotes for a message, shortened to 60 characters.

    >>> quoted("1_000"), len(quoted("9" * 1000))
    ("'1_000'", 62)
    """
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def not_unicode(text: str) -> str | None:
    r"""Return why a text cannot be stored in a file, or None if it can.

    >>> not_unicode("a\ud800")
    "'a\\ud800' has a lone surrogate, so it is not Unicode text; replace it"
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"{quoted(text)} has a lone surrogate, so it is not Unicode text; replace it"
    return None
