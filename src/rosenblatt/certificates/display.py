"""Values in sentences: short, whatever came."""

_MOST_BITS = 128
_MOST_SIGNS = 200


def shown(value: object) -> str:
    """Return a value as a sentence names it.

    >>> shown("yes"), shown(-7), shown(2**5000)
    ("'yes'", '-7', 'an integer of 5001 bits')
    >>> shown((2**90000, 1)), shown("long " * 1000)[-12:]
    ('a tuple', 'ng long[...]')
    """
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except ValueError:  # Python writes down no integer of more than 4,300 digits
        return f"a {type(value).__name__}"
    return text if len(text) <= _MOST_SIGNS else f"{text[:_MOST_SIGNS]}[...]"
