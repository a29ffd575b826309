"""The cards of 1958, and what the machine said of them."""

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import whole
from rosenblatt.core.errors import InputError
from rosenblatt.lectures.mark1 import SIDES, WIDTH, Card, Trial
from rosenblatt.plots.image_panels import image_panels
from rosenblatt.plots.style import color, faint, ink, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MOST_IN_A_ROW = 10


class CardsDisplay:
    """Cards as the machine's retina sees them, with their sides or letters and the machine's answers.

    A tick, ✓, is for an answer that was true, a cross, ✗, for one that was not, or for none.

    Parameters
    ----------
    cards : list of Card
        The cards.
    said : list of str or None, default=None
        What the machine said of each card, None for nothing; None: it was not asked.
    numbers : list of int, default=None
        The numbers of the cards; None: 1, 2, …

    Attributes
    ----------
    axes_, figure_
        Matplotlib's axes, one for each card, and figure, once it is drawn.
    ax_
        The first of the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.lectures.mark1 import Mark1, draw_cards
    >>> from rosenblatt.plots import CardsDisplay
    >>> machine, cards = Mark1(seed=1), draw_cards(np.random.default_rng(1))
    >>> display = CardsDisplay.from_cards(machine.show(next(cards)) for _ in range(3))
    >>> [ax.get_title() for ax in display.axes_]
    ['1: left', '2: left', '3: left']
    """

    axes_: "list[Axes]"
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self,
        *,
        cards: list[Card],
        said: list[str | None] | None = None,
        numbers: list[int] | None = None,
    ) -> None:
        if not cards or not all(isinstance(card, Card) for card in cards):
            raise InputError(
                "cards are missing: give cards as draw_cards yields them, at least one"
            )
        if said is not None and len(said) != len(cards):
            raise InputError(
                f"there are {len(cards)} cards but {len(said)} answers: give one for each"
            )
        self.cards, self.said = cards, said
        self.numbers = list(range(1, len(cards) + 1)) if numbers is None else numbers

    @classmethod
    def from_cards(
        cls,
        cards: Iterable[Card | Trial],
        *,
        most: int = 50,
        ax: "Axes | Sequence[Axes] | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw cards, or trials: cards that were shown to a machine, with what it said.

        Parameters
        ----------
        cards : cards or trials
            As `draw_cards`, `draw_two_cards` or `draw_letters` yields them, or as `Mark1.show` returns
            them.
        most : int, default=50
            How many to draw: only the first ones of more, as `draw_cards` goes on for ever.
        ax : Matplotlib axes, one for each card, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `imshow`.
        """
        shown = list(itertools.islice(cards, whole("most", most, 1)))
        if any(isinstance(one, Trial) for one in shown):
            if not all(isinstance(one, Trial) for one in shown):
                raise InputError("cards are mixed with trials: give cards only, or trials only")
            trials = [one for one in shown if isinstance(one, Trial)]
            display = cls(
                cards=[trial.card for trial in trials],
                said=[trial.said for trial in trials],
                numbers=[trial.number for trial in trials],
            )
        else:
            display = cls(cards=[one for one in shown if isinstance(one, Card)])
        return display.plot(ax, **kwargs)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.axes_ = image_panels(
            ax, len(self.cards), in_a_row=_MOST_IN_A_ROW, size=(1.35, 1.8)
        )
        self.ax_ = self.axes_[0]
        for k, (own, card) in enumerate(zip(self.axes_, self.cards, strict=True)):
            self._draw_card(own, k, card, **kwargs)
        return self

    def _draw_card(self, ax: "Axes", k: int, card: Card, **kwargs: Any) -> None:
        from matplotlib.colors import ListedColormap

        shades = ListedColormap([tint(ax, faint(ax), 0.85), ink(ax)])
        cells = np.reshape(card.cells, (WIDTH, WIDTH))
        settings = {"cmap": shades, "vmin": 0, "vmax": 1, **kwargs}
        ax.imshow(cells, interpolation="nearest", **settings)
        if card.side in SIDES:
            ax.axvline(WIDTH / 2 - 0.5, color=faint(ax), linewidth=0.8, linestyle=":")
        ax.set_title(f"{self.numbers[k]}: {card.side}", fontsize="medium")
        if self.said is not None:
            answer = self.said[k]
            is_right = answer == card.side
            own = color(ax, "green" if is_right else "vermilion")
            text = f"{'✓' if is_right else '✗'} said {answer or 'nothing'}"
            ax.set_xlabel(text, color=own, fontsize="medium")
