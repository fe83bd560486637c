"""The pages of docs/gallery, run from their first cell to their last."""

import pathlib
import re
import subprocess
import sys

import pytest

GALLERY = pathlib.Path(__file__).parents[3] / "docs" / "gallery"
PAGES = sorted(GALLERY.glob("*.py"))


def test_there_are_six():
    assert len(PAGES) == 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_runs(page, tmp_path):
    text = page.read_text()
    for package in set(re.findall(r"^(?:import|from) (polars|numpy|networkx|distributed|fsspec)", text, re.MULTILINE)):
        pytest.importorskip(package, reason=f"`target/python-venv/bin/pip install {package}`, then `tools/python/check -k gallery`")
    # Cells of a notebook: each begins with a mark, and the last asserts the results on the page.
    assert text.startswith("# %% [markdown]\n# # ") and "assert" in text.split("# %%")[-1]
    done = subprocess.run([sys.executable, "-Wignore", page], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
