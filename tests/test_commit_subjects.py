"""Commit subjects name the change: an imperative verb first, at most 72 characters."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASE = "3f1063e"  # older subjects were written before this rule
VERBS = """
Accept Adapt Add Adjust Allow Answer Apply Ask Assert Assign Avoid Bound Bring Build Bump Cache
Call Catch Change Check Choose Clarify Clean Close Collect Combine Compare Compile Compute
Convert Copy Correct Count Cover Create Cut Decide Declare Defer Delete Derive Describe Detect
Disable Display Divide Document Draw Drop Emit Enable Encode End Ensure Escape Exclude Expect Explain
Export Expose Extend Extract Fail Filter Find Finish Fix Flatten Fold Follow Forbid Format Free
Generate Give Group Grow Guard Guess Handle Hash Hide Hold Ignore Implement Import Improve Include
Increase Inline Insert Install Introduce Join Keep Label Learn Leave Let Limit Link Lint List Load Log
Look Lower Make Map Mark Match Measure Mention Merge Mirror Move Name Narrow Normalize Note Number
Offer Omit Open Optimize Order Pack Parse Pass Patch Permit Pin Plot Point Prefer Preserve
Prevent Print Protect Prove Provide Publish Pull Put Raise Read Rebuild Recompute Record Redraw
Reduce Refactor Refresh Refuse Regenerate Register Reject Release Remember Remove Rename Render
Reorder Repair Repeat Replace Report Require Reset Resolve Respect Restore Retry Return Reuse
Revert Reword Rewrite Round Run Save Say Scale Seed Select Send Separate Serve Set Share Ship
Shorten Show Shrink Silence Simplify Skip Solve Sort Speed Spell Split Start State Stop Store
Stream Strip Support Swap Switch Take Teach Tell Test Tighten Time Tolerate Trace Track
Translate Treat Trim Try Tune Turn Type Undo Unify Update Upgrade Use Validate Verify Visit Wait
Warn Weigh Widen Wrap Write
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
