"""Rules of learning, each of which the one loop trains: perceptron, online rules, dual."""
