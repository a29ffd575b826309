"""A run as an animation: one frame for each update, and files that are there whole."""

import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

from rosenblatt import InputError, plots, trace
from rosenblatt.lectures.trace import worked_example
from rosenblatt.plots.plane import animation


def test_every_frame_shows_one_update() -> None:
    run = worked_example()
    updates = [visit for visit in run if visit.update]
    scene = animation.Scene(run)
    for n_updates in scene.frames():
        weights = updates[n_updates - 1].weights_after if n_updates else (1.0, 0.0, 0.0)
        line = scene.now.get_xydata()
        assert len(line) == (2 if any(weights[1:]) else 0)
        np.testing.assert_allclose(line @ weights[1:] + weights[0], 0.0, atol=1e-12)
        assert len(scene.ring.get_offsets()) == min(n_updates, 1)
        if 0 < n_updates < len(updates):
            visit = updates[n_updates - 1]
            mistakes = "1 mistake" if n_updates == 1 else f"{n_updates} mistakes"
            assert scene.title.get_text() == f"{mistakes} so far, epoch {visit.epoch}"
            own = np.divide(visit.sample[1:], visit.sample[0])
            np.testing.assert_array_equal(scene.ring.get_offsets()[0], own)
        # One region for each class, those of the last frame gone.
        assert len(scene.ax.patches) == (2 if any(weights[1:]) else 0)
    assert n_updates == len(updates)


def test_a_gif_has_a_frame_for_each_update(tmp_path: Path) -> None:
    run = worked_example()
    with plots.theme("dark"):
        path = plots.animate(run, tmp_path / "run.gif", frames_per_second=4)
    with Image.open(path) as image:
        assert image.n_frames == 1 + sum(visit.update for visit in run)
        assert max(image.convert("RGB").getpixel((0, 0))) < 60
        assert image.info["duration"] == 250
        image.seek(image.n_frames - 1)
        assert image.info["duration"] == 1000


def test_a_long_run_is_thinned_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "FRAMES", 3)
    run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    scene = animation.Scene(run)
    assert list(scene.frames()) == [0, 2, 5, 7]
    assert scene.title.get_text().endswith("(3 of 7 updates are shown)")


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for ffmpeg")
def test_an_mp4_goes_through_ffmpeg(tmp_path: Path) -> None:
    stand_in = tmp_path / "ffmpeg"
    stand_in.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\n')
    stand_in.chmod(0o755)
    with matplotlib.rc_context({"animation.ffmpeg_path": str(stand_in)}):
        path = plots.animate(worked_example(), tmp_path / "run.mp4")
    # The frames, as they came: three updates before the last one, which stays four times as long.
    assert path.stat().st_size == (3 + 4) * 600 * 450 * 4


def test_what_cannot_be_animated_is_said(tmp_path: Path) -> None:
    run = worked_example()
    with pytest.raises(
        InputError, match=r"run\.avi: an animation is written to a file that ends in"
    ):
        plots.animate(run, tmp_path / "run.avi")
    with pytest.raises(InputError, match="of 3 features: a run is animated in two"):
        plots.animate(trace(np.eye(3), [0, 1, 1]), tmp_path / "run.gif")
    with pytest.raises(InputError, match="frames_per_second=0 is not accepted"):
        plots.animate(run, tmp_path / "run.gif", frames_per_second=0)
    with (
        matplotlib.rc_context({"animation.ffmpeg_path": "/no/such/ffmpeg"}),
        pytest.raises(InputError, match=r"written by ffmpeg, .* install it, or write a \.gif"),
    ):
        plots.animate(run, tmp_path / "run.mp4")
    with pytest.raises(InputError, match=r"run\.gif"):
        plots.animate(run, tmp_path / "missing" / "run.gif")
    assert list(tmp_path.iterdir()) == []
