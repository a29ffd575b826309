"""The pictures of the lectures, one in each file; `rosenblatt.plots` has their public names."""
