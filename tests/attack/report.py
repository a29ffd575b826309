"""What an attack did: what it asked, what it counted on the way, and every answer that was wrong."""

from collections import Counter
from dataclasses import dataclass, field

MOST_FAILURES = 20


@dataclass
class Report:
    """The counts of one attack; ``failures`` are reproductions, one sentence each."""

    name: str
    claim: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    n_failures: int = 0

    def count(self, what: str, number: int = 1) -> None:
        """Add to a count, whose name is a plural: what the table shows."""
        self.counts[what] += int(number)

    def fail(self, reproduction: str) -> None:
        """Note an answer that was wrong; only the first ones are kept in words."""
        self.n_failures += 1
        if len(self.failures) < MOST_FAILURES:
            self.failures.append(reproduction[:2000])

    def check(self, right: bool, reproduction: str) -> None:
        """Note an answer that was wrong, if it was."""
        if not right:
            self.fail(reproduction)

    @property
    def is_lost(self) -> bool:
        """Whether so much went wrong that more would only take time: each hang costs seconds."""
        return self.n_failures >= MOST_FAILURES

    def figures(self) -> str:
        """Return the counts in words: "4,000 fits, 123,456 mistakes"."""
        return ", ".join(f"{number:,} {what}" for what, number in self.counts.items())

    def sentence(self) -> str:
        """Return one line on the attack and how it ended."""
        end = f"{self.n_failures:,} failures" if self.n_failures else "no failure"
        return f"{self.name}: {self.figures()}; {end}"

    def row(self) -> str:
        """Return the row of a table in Markdown."""
        return f"| {self.name} | {self.claim} | {self.figures()} | {self.n_failures:,} |"

    def verdict(self) -> str:
        """Return all that a failing test shows."""
        return "\n".join([self.sentence(), *self.failures])
