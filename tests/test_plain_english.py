"""Messages, docstrings, comments and pages avoid phrases that have to be read twice."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/[a-z]*/*.md"), *ROOT.glob("src/**/*.md")]
SOURCES = sorted(ROOT.glob("src/**/*.py"))

INSTEAD = {
    "a modern word": r"\b(whoever|somebody|thereof|whereof|hence(forth)?|anew|amongst|albeit|lest)\b",
    "forever": r"\bfor ever\b",
    "also, the same way": r"\blikewise\b",
    "a plain count": r"\b(so|as) many of\b|\bso many as\b",
    "appears, is new": r"\bturn(s|ed|ing)? up\b",
    "who reports what": r"\b(is|are|was|were|be) (said|told)\b|\btold apart\b",
    "automatically, alone": r"\bof its own accord\b",
    "what to do": r"\bothers are accepted\b",
    "a plain clause": r"\b(has gone|gives nothing|nobody having)\b|\bof which there are\b",
    "as a sentence": r"\bin words\b",
    "package, folder": r"\brooms\b|\b(a|the|this|each|own|its) room\b(?! temperature)",
    "is, are": r"\bas it (stands|lies)\b|\b(stands?|lies?) (here|there|beside)\b",
    "besides, next to": r"\bbeside (it|its|them|each|the|a|an|one|that|this|what|those|others?)\b",
    "detect": r"\b(found|find|finds|finding) out\b",
    "has no, is missing": r"\black(s|ing)? (the|a|an|any)\b",
    "because": r"[,;] for (it|they|there|then|this|these|those|he|she|we|neither|otherwise)\b",
    "there is no ..., does not exist": r"\b(is|are|was|were) none\b",
    "start with a subject": r"(^|[.:;] )(What|Who|Whoever) (?![^.?]*\?)[a-z]",
    "drop it": r"\bif there is one at all\b",
    "American spelling": (
        r"\b(licence|colours?|labelled|unlabelled|behaviours?|neighbours?|centred?|favour\w*|grey|modelling|"
        r"cancelled|artefacts?|analyse[ds]?|catalogue|programme|learnt|towards|afterwards|"
        r"(normal|standard|initial|serial|recogn|organ|optim|minim|maxim|summar|general|random)is(e|ed|es|ing)|"
        r"defence|judgement|whilst)\b"
    ),
}
PATTERNS = {
    advice: re.compile(text, 0 if "What|Who" in text or "none" in text else re.IGNORECASE)
    for advice, text in INSTEAD.items()
}


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page, or of a module's comments and strings."""
    source = path.read_text("utf-8")
    if path.suffix == ".md":
        yield from enumerate(source.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for offset, line in enumerate(node.value.split("\n")):
                yield node.lineno + offset, line.strip()


def complaints(text: str) -> list[str]:
    found = ((advice, pattern.search(text)) for advice, pattern in PATTERNS.items())
    return [f"{match[0].strip()!r}: write {advice}" for advice, match in found if match]


@pytest.mark.parametrize("folder", ["pages", *sorted({path.parent.name for path in SOURCES})])
def test_no_sentence_has_to_be_read_twice(folder: str) -> None:
    paths = PAGES if folder == "pages" else [p for p in SOURCES if p.parent.name == folder]
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {complaint}: {text}"
        for path in paths
        for line, text in prose(path)
        for complaint in complaints(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "Who kills workers in tests chooses one that is there",
        "It stops where the weights return, for then it would never end",
        "What the model does not know is said and ignored",
        "The labelled samples are told apart",
        "it has another entry beside the name",
    ],
)
def test_the_patterns_themselves(text: str) -> None:
    assert complaints(text)


@pytest.mark.parametrize("text", ["What is the margin?", "for this margin", "Return the samples"])
def test_plain_sentences_pass(text: str) -> None:
    assert not complaints(text)
