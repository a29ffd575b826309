"""The certificate of weights that are right about samples which no single machine holds."""

from fractions import Fraction

from rosenblatt.certificates import Digest, SeparatingHyperplane
from rosenblatt.certificates.rounding import sqrt_down
from rosenblatt.separability.sharded.claims import Asked, Claim
from rosenblatt.separability.sharded.measured import Measured, counted_weights, squared_length


def prove_measured(
    asked: Asked, claim: Claim, found: Measured, digest: Digest
) -> SeparatingHyperplane | None:
    """Return the certificate of weights, whoever found them, from what they do on all samples.

    The ``digest`` is that of all samples. Returned is None where the weights do not separate them. An
    upper end of the margin would need a combination of rows, so there is none.

    >>> import numpy as np
    >>> from rosenblatt.separability.sharded.claims import Chunk
    >>> from rosenblatt.separability.sharded.measured import joined, measured
    >>> X, y = np.array([[-1.0], [2.0]]), np.array([0, 1])
    >>> asked, claim = Asked(np.array([0, 1]), 1.0), Claim(1, np.array([1.0, 0.0]))
    >>> shards = [[Chunk(X[i:i + 1], y[i:i + 1], np.array([i]))] for i in range(2)]
    >>> found = joined(measured(asked, claim, chunks) for chunks in shards)
    >>> certificate = prove_measured(asked, claim, found, Digest.of(X, y))
    >>> print(certificate.claim)
    a hyperplane separates 1 from the rest, and the maximum margin (augmented) is at least 0.999999
    >>> certificate.verify(X, y)
    True
    """
    lower_squared = proved_squared(asked, claim, found)
    if lower_squared is None:
        return None
    return SeparatingHyperplane(
        **asked.subject(claim.positive, digest),
        weights=claim.weights,
        lower_squared=lower_squared,
    )


def proved_squared(asked: Asked, claim: Claim, found: Measured) -> Fraction | None:
    """Return the square of a margin that the weights are shown to have, if they separate all samples.

    >>> import numpy as np
    >>> asked, claim = Asked(np.array([0, 1]), 0.0), Claim(1, (3, 4))
    >>> proved_squared(asked, claim, Measured(2, 0, 0, Fraction(10)))
    Fraction(4, 1)
    """
    squares = squared_length(counted_weights(asked, claim.positive, claim.weights))
    if found.n_mistakes > 0 or found.least is None or found.least <= 0 or squares == 0:
        return None
    squared = found.least**2 / squares
    root = sqrt_down(squared)
    # The square of a float is short to write; only where there is no such float the number is long.
    return Fraction(root) ** 2 if root > 0.0 else squared
