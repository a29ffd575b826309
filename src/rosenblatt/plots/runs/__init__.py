"""How a run went: lives of hypotheses."""
