"""How a run went: mistakes, the convergence theorem, the margin, lives of hypotheses, the ledger."""
