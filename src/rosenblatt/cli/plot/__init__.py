"""`rosenblatt plot`: one command for each kind of picture, a file for each family of kinds."""
