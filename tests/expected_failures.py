"""The checks of scikit-learn that learners fail if they visit samples in sequence."""

WEIGHTED_IS_REPEATED = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "the run depends on the order of visits, so weighting a sample is not repeating it",
)
