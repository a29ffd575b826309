"""The machine of 1958: its cards, its units, and how fast it learns."""

from itertools import islice

import numpy as np
import pytest

from rosenblatt import InputError
from rosenblatt.lectures.mark1 import (
    WIDTH,
    Card,
    Mark1,
    Trial,
    draw_cards,
    draw_letters,
    draw_two_cards,
    last_mistake,
)


def test_every_card_has_one_square_within_its_half() -> None:
    seen = set()
    for card in islice(draw_cards(np.random.default_rng(0)), 500):
        lit = card.cells.reshape(WIDTH, WIDTH) > 0
        rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
        size = len(rows)
        assert size == len(columns)
        assert lit.sum() == size**2  # a full square
        assert rows[-1] - rows[0] == columns[-1] - columns[0] == size - 1
        half = slice(0, 10) if card.side == "left" else slice(10, 20)
        assert lit[:, half].sum() == size**2
        assert card.cells.dtype == np.float32
        seen.add((card.side, size))
    assert seen == {(side, size) for side in ("left", "right") for size in (6, 7, 8, 9)}


def test_noise_inverts_that_share_of_photocells() -> None:
    clean = next(draw_cards(np.random.default_rng(1), 0.0))
    noisy = next(draw_cards(np.random.default_rng(1), 1.0))
    assert (noisy.cells == 1 - clean.cells).all()
    lights = [card.cells.mean() for card in islice(draw_cards(np.random.default_rng(2), 0.5), 200)]
    assert np.mean(lights) == pytest.approx(0.5, abs=0.01)
    for noise in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="is not accepted: use a number from 0 to 1"):
            next(draw_cards(np.random.default_rng(0), noise))


def test_the_machine_equals_a_perceptron_on_its_units() -> None:
    cards = list(islice(draw_cards(np.random.default_rng(3)), 30))
    machine = Mark1(seed=3)
    trials = [machine.show(card) for card in cards]
    assert [trial.number for trial in trials] == list(range(1, 31))
    assert trials[0].answer is None
    assert not trials[0].is_right
    units = machine.fires(np.array([card.cells for card in cards]))
    twin = type(machine.response)(keep="last").partial_fit(units, [card.side for card in cards])
    assert twin.coef_.tobytes() == machine.response.coef_.tobytes()
    assert (units.shape, units.dtype) == ((30, 1000), np.float32)


def test_units_match_a_slow_reference() -> None:
    machine = Mark1(n_units=40, seed=5)
    cells = np.random.default_rng(5).integers(0, 2, (6, WIDTH * WIDTH)).astype(np.float32)
    for row, units in zip(cells, machine.fires(cells), strict=True):
        for (a, b, c, d), fires in zip(machine.wiring.tolist(), units, strict=True):
            assert fires == (row[a] + row[b] + row[c] - row[d] >= 2)
    assert machine.fires(np.zeros_like(cells)).sum() == 0  # no unit fires in the dark


def test_the_wiring_depends_on_the_seed() -> None:
    assert (Mark1(seed=1).wiring == Mark1(seed=1).wiring).all()
    assert (Mark1(seed=1).wiring != Mark1(seed=2).wiring).any()
    for wrong in ({"seed": -1}, {"n_units": 0}, {"n_units": 10**12}):
        with pytest.raises(InputError, match="is not accepted: use a whole number"):
            Mark1(**wrong)


def test_counting_right_answers_does_not_learn() -> None:
    machine, cards = Mark1(seed=4, n_units=100), draw_cards(np.random.default_rng(4))
    for _ in range(20):
        machine.show(next(cards))
    before = machine.response.coef_.tobytes()
    assert 0 <= machine.n_right(cards, 50) <= 50
    assert machine.response.coef_.tobytes() == before
    assert machine.n_shown == 20


def test_last_mistake_returns_a_card_number() -> None:
    dark = Card(np.zeros(400, dtype=np.float32), "left")
    assert last_mistake([]) == 0
    assert last_mistake([Trial(1, dark, "left")]) == 0
    assert last_mistake([Trial(1, dark, None), Trial(2, dark, "left")]) == 1


def test_most_machines_are_right_after_fifty_cards() -> None:
    shares = []
    for seed in range(20):
        machine, cards = Mark1(seed=seed), draw_cards(np.random.default_rng(seed))
        for _ in range(50):
            machine.show(next(cards))
        shares.append(machine.n_right(cards, 200) / 200)
    assert sum(share >= 0.95 for share in shares) >= 18
    assert np.mean(shares) > 0.98


def test_two_cards_are_learned_within_three_mistakes() -> None:
    cards = list(islice(draw_two_cards(np.random.default_rng(0)), 40))
    assert len({card.cells.tobytes() for card in cards}) == 2
    for card in cards:
        lit = card.cells.reshape(WIDTH, WIDTH) > 0
        half = slice(0, 10) if card.side == "left" else slice(10, 20)
        assert lit[:, half].sum() == lit.sum() == 72
    machine = Mark1(seed=0)
    trials = [machine.show(card) for card in cards]
    assert sum(not trial.is_right for trial in trials) <= 3
    assert machine.n_right(iter(cards), 40) == 40


def test_each_letter_has_one_distinct_shape() -> None:
    pictures = set()
    for first, second in zip("ACEGIKMOQSUWY", "BDFHJLNPRTVXZ", strict=True):
        shapes = {}
        for card in islice(draw_letters(first + second, np.random.default_rng(0)), 60):
            lit = card.cells.reshape(WIDTH, WIDTH) > 0
            rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
            assert rows[-1] - rows[0] == 13
            assert columns[-1] - columns[0] <= 9
            cut = lit[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            shapes.setdefault(card.side, set()).add(cut.tobytes())
        assert set(shapes) == {first, second}
        assert all(len(cuts) == 1 for cuts in shapes.values())  # the same shape at every position
        pictures |= set.union(*shapes.values())
    assert len(pictures) == 26


def test_the_machine_learns_letters() -> None:
    machine, cards = Mark1(seed=0), draw_letters("TL", np.random.default_rng(0))
    for _ in range(300):
        machine.show(next(cards))
    assert machine.n_right(cards, 300) > 270


@pytest.mark.parametrize("letters", ["E", "EE", "EXY", "ex", "É1", ("E", "X"), None])
def test_invalid_letters_are_refused(letters: object) -> None:
    with pytest.raises(InputError, match="is not accepted: use two different letters of ABC"):
        next(draw_letters(letters, np.random.default_rng(0)))
