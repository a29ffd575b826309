"""Short representations of values for messages."""

_MAX_BITS = 128
_MAX_CHARACTERS = 200


def short_repr(value: object) -> str:
    """Return repr(value), shortened so that it fits into a message.

    >>> short_repr("yes"), short_repr(-7), short_repr(2**5000)
    ("'yes'", '-7', 'an integer of 5001 bits')
    >>> short_repr((2**90000, 1)), short_repr("long " * 1000)[-12:]
    ('a tuple', 'ng long[...]')
    """
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except ValueError:  # Python refuses to convert integers of more than 4,300 digits
        return f"a {type(value).__name__}"
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}[...]"
