"""Commands that use or describe a model: predict, evaluate, show, explain and convert."""
