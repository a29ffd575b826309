"""Work and answers on their way between processes."""
