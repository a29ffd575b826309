"""What can go wrong, in words: every message names the place, what came and what is accepted."""


class InputError(ValueError):
    """A value, a file or a line that cannot be used; the message is one sentence for the user."""


class InterruptionError(Exception):
    """The user pressed Ctrl-C."""


class ClosedPipeError(Exception):
    """Whoever was reading the output has gone."""


def update_too_large() -> InputError:
    """Return the error for an update that is beyond what float64 can square."""
    return InputError(
        "an update of the weights is so long that its square is no finite float64: "
        "scale the samples of X, or their weights, down, well below 1e150"
    )


def not_finite(row: int) -> InputError:
    """Return the error for a sample whose score is not finite."""
    return InputError(
        f"the score of row {row} of X is not a finite number: the row contains NaN or infinity, "
        "or values so large that float64 overflows; give finite values, well below 1e150"
    )


def quoted(text: str) -> str:
    """Return the first 60 characters of a text in quotes, for a message.

    >>> quoted("1_000"), len(quoted("9" * 1000))
    ("'1_000'", 62)
    """
    return repr(text if len(text) <= 60 else f"{text[:59]}…")
