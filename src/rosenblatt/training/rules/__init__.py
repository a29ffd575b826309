"""Learning rules for the epoch loop: perceptron, online rules, dual."""
