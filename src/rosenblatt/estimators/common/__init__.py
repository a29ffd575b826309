"""What the learners share: validation, the learned state, decisions, warnings."""
