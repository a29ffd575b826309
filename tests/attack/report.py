"""The report of an attack: its counts, and every wrong answer."""

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
        """Add to a count; its name is a plural noun, as shown in the table."""
        self.counts[what] += int(number)

    def fail(self, reproduction: str) -> None:
        """Record a wrong answer; only the first ones are kept as text."""
        self.n_failures += 1
        if len(self.failures) < MOST_FAILURES:
            self.failures.append(reproduction[:2000])

    def check(self, right: bool, reproduction: str) -> None:
        """Record an answer if it is wrong."""
        if not right:
            self.fail(reproduction)

    @property
    def is_lost(self) -> bool:
        """Whether there are so many failures that going on is pointless: each hang costs seconds."""
        return self.n_failures >= MOST_FAILURES

    def figures(self) -> str:
        """Return the counts as text: "4,000 fits, 123,456 mistakes"."""
        return ", ".join(f"{number:,} {what}" for what, number in self.counts.items())

    def sentence(self) -> str:
        """Return one line about the attack and its result."""
        end = f"{self.n_failures:,} failures" if self.n_failures else "no failure"
        return f"{self.name}: {self.figures()}; {end}"

    def row(self) -> str:
        """Return a row of the Markdown table."""
        return f"| {self.name} | {self.claim} | {self.figures()} | {self.n_failures:,} |"

    def verdict(self) -> str:
        """Return the text that a failing test shows."""
        return "\n".join([self.sentence(), *self.failures])
