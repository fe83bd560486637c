"""The tutorial's code, run as it stands."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python.md"


def test_the_tutorial_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pattern = r"^```python\n(.*?)^```$(?:\n```text\n(.*?)^```$)?"
    blocks = re.findall(pattern, PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 8
    names = {"__name__": "tutorial"}
    for number, (block, shown) in enumerate(blocks):
        exec(compile(block, f"{PAGE.name}, block {number}", "exec"), names)
        # A comment behind a print is its output; more is in the block that follows.
        wanted = [line.strip() for line in re.findall(r"print\(.*\)  # (.*)$", block, re.MULTILINE)]
        wanted += shown.splitlines()
        assert capsys.readouterr().out.splitlines() == wanted, block


def test_the_check_of_the_tutorial_sees():
    with pytest.raises(AssertionError):
        assert ["1"] == [line.strip() for line in re.findall(r"print\(.*\)  # (.*)$", "print(1)  # 2", re.MULTILINE)]
