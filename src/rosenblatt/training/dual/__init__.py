"""The perceptron in its dual form: hypotheses are sums of kernel terms, one per mistake."""
