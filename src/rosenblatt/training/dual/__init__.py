"""The perceptron in its dual form: hypotheses that are sums of kernel terms, one for each mistake."""
