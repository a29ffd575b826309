"""What is proved of all samples, in rounds: how weights do on them, and which samples they are."""

from dataclasses import dataclass

from rosenblatt.certificates import Digest, SeparatingHyperplane
from rosenblatt.certificates.digest_parts import joined_digest, planned
from rosenblatt.cluster.engines.engine import Engine, RoundWatcher, Work
from rosenblatt.cluster.tasks.proof_tasks import MeasureDetails
from rosenblatt.core.types import Floats
from rosenblatt.separability.sharded.measured import Measured, joined
from rosenblatt.separability.sharded.proved_weights import prove_measured


@dataclass(frozen=True)
class WeightsOverAll:
    """What weights do on the samples of all shards.

    ``measured`` has one for each claim; ``n_wrong`` counts the samples that are put in a wrong class,
    and ``longest`` is the length of the longest. ``errs`` says whether what decides is mistaken
    on a sample that was learned from.
    """

    measured: list[Measured]
    n_wrong: int
    longest: float
    errs: bool

    @property
    def separate_all(self) -> bool:
        """Whether every sample is strictly on its own side."""
        return all(one.n_mistakes == 0 for one in self.measured)


def measure_all(
    engine: Engine, details: MeasureDetails, weights: Floats, watch: RoundWatcher | None
) -> WeightsOverAll:
    """Return what weights do on all samples; the engine has shards of files."""
    answers = engine.round(Work("measure", weights, {"measure": details}), watch)
    by_claim = zip(*(answer.facts["measured"] for answer in answers), strict=True)
    return WeightsOverAll(
        [joined(parts) for parts in by_claim],
        sum(answer.facts["n_wrong"] for answer in answers),
        max(answer.facts["longest"] for answer in answers),
        any(answer.facts["errs"] for answer in answers),
    )


def digest_of_all(engine: Engine, watch: RoundWatcher | None) -> Digest:
    """Return the digest of all samples, in two rounds: they are counted, then hashed."""
    counted = engine.round(Work("count"), watch)
    plan = planned([answer.facts["stretch"] for answer in counted])
    hashed = engine.round(Work("hash", details={"plan": plan}), watch)
    return joined_digest(plan, [answer.facts["hashes"] for answer in hashed])


def certificates_of(
    details: MeasureDetails, weights: Floats, found: WeightsOverAll, digest: Digest
) -> list[SeparatingHyperplane] | None:
    """Return a certificate for each claim of weights; None where one of them cannot be proved."""
    proofs = [
        prove_measured(details.asked, claim, own, digest)
        for claim, own in zip(details.claims(weights), found.measured, strict=True)
    ]
    proved = [proof for proof in proofs if proof is not None]
    return proved if len(proved) == len(proofs) else None
