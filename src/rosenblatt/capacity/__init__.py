"""How many labelings a hyperplane can give: counted, enumerated, and in the limit.

Counting
    `count_dichotomies` and `separable_fraction`: Cover's theorem, exact; `prefix_probability`: how long
    a random sequence of samples stays separable.

Points
    `in_general_position` decides whether points are in general position, or names those that are not;
    `separable_dichotomies` yields every labeling of points that a hyperplane gives, with its weights;
    `simulate` draws points and labels at random and counts how often `separate` finds a hyperplane.

Margins
    `gardner_capacity` and `gardner_margin`: how many samples per dimension can be separated with a
    margin, as the dimension grows.

Hyperplanes go through the origin unless an intercept is asked for; it counts as one dimension more.

>>> from rosenblatt import capacity
>>> capacity.count_dichotomies(8, 4), capacity.separable_fraction(8, 4)
(128, Fraction(1, 2))
>>> cube = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
>>> sum(1 for _ in capacity.separable_dichotomies(cube, fit_intercept=True))
104
>>> capacity.in_general_position(cube, affine=True).sentence
'1·row 0 - 1·row 1 - 1·row 2 + 1·row 3 is zero'
"""

from rosenblatt.capacity.counting import count_dichotomies, prefix_probability, separable_fraction
from rosenblatt.capacity.dichotomies import Dichotomy, separable_dichotomies
from rosenblatt.capacity.gardner import gardner_capacity, gardner_margin
from rosenblatt.capacity.position import Position, in_general_position
from rosenblatt.capacity.simulation import Simulation, simulate

__all__ = [
    "Dichotomy",
    "Position",
    "Simulation",
    "count_dichotomies",
    "gardner_capacity",
    "gardner_margin",
    "in_general_position",
    "prefix_probability",
    "separable_dichotomies",
    "separable_fraction",
    "simulate",
]
