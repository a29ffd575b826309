"""Commit subjects name the change: an imperative verb first, at most 72 characters."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASE = "3f1063e"  # older subjects were written before this rule
VERBS = """
Accept Add Allow Answer Ask Build Cache Call Change Check Clarify Combine Compare Compile
Compute Copy Count Cover Cut Decide Declare Delete Describe Detect Document Draw Drop Enable
Escape Exclude Explain Export Fail Find Fix Fold Format Give Group Handle Hash Hide Hold
Ignore Import Inline Install Join Keep Label Learn Let Limit List Load Log Make Map Mark
Match Measure Mention Merge Move Name Normalize Number Open Pack Parse Pass Pin Plot Point
Print Prove Put Raise Read Record Reduce Refuse Reject Release Remove Rename Render Replace
Report Require Reset Restore Retry Return Revert Rewrite Round Run Save Say Scale Send
Separate Set Share Shorten Show Shrink Simplify Skip Sort Speed Spell Split State Stop Store
Stream Swap Take Test Tighten Time Trim Turn Type Unify Update Use Validate Verify Wait Warn
Weigh Widen Wrap Write
"""


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout


def subjects() -> list[str]:
    """Return the subjects since the base; none outside a clone, or in one without the base."""
    return git("log", "--no-merges", "--format=%s", f"{BASE}..HEAD").splitlines()


def complaint(subject: str) -> str:
    """Return what is wrong with a subject, or nothing."""
    if len(subject) > 72:
        return f"{len(subject)} characters; at most 72 fit on one line of `git log`"
    if subject.split(" ")[0] not in VERBS.split():
        return "start with an imperative verb (if this is one, add it to VERBS)"
    return ""


def test_subjects_name_the_change() -> None:
    if not (found := subjects()):
        pytest.skip(f"there is no git history since {BASE}")
    wrong = [f"{subject!r}: {said}" for subject in found if (said := complaint(subject))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("subject", "wrong"),
    [
        ("Share one CSV parser between whole and streamed reads", ""),
        ("What a stranger's attack found", "start with an imperative verb"),
        ("Who kills workers in tests chooses one that is there", "start with an imperative verb"),
        ("Delete " + "x" * 66, "73 characters"),
    ],
)
def test_the_rule_itself(subject: str, wrong: str) -> None:
    assert complaint(subject).startswith(wrong) if wrong else complaint(subject) == ""
