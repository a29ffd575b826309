"""How a run went: the convergence theorem, lives of hypotheses."""
