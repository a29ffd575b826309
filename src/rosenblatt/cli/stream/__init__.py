"""`rosenblatt stream`: learns from files of any size, in bounded memory, and can be resumed."""
