"""The pages of docs/gallery, run from their first cell to their last: as scripts, and as notebooks in a kernel."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

GALLERY = pathlib.Path(__file__).parents[3] / "docs" / "gallery"
PAGES = sorted(GALLERY.glob("*.py"))
PACKAGES = "polars|numpy|networkx|distributed|fsspec|pymisp|timesketch"


def test_there_are_nine():
    assert len(PAGES) == 9


def needed(text):
    for package in set(re.findall(rf"^(?:import|from) ({PACKAGES})", text, re.MULTILINE)):
        pytest.importorskip(package, reason=f"`target/python-venv/bin/pip install {package}`, then `tools/python/check -k gallery`")
    if '"hfind"' in text and not shutil.which("hfind"):
        pytest.skip("no hfind")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_runs(page, tmp_path):
    text = page.read_text()
    needed(text)
    # Cells of a notebook: each begins with a mark, and the last asserts the results on the page.
    assert text.startswith("# %% [markdown]\n# # ") and "assert" in text.split("# %%")[-1]
    done = subprocess.run([sys.executable, "-Wignore", page], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def notebook(text):
    """The page as a notebook, as its marks say."""
    nbformat = pytest.importorskip("nbformat", reason="`target/python-venv/bin/pip install nbformat nbclient ipykernel`")
    cells = []
    for part in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            cells.append(nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", body.strip(), flags=re.MULTILINE)))
        else:
            assert head == "", head
            cells.append(nbformat.v4.new_code_cell(body.strip()))
    return nbformat.v4.new_notebook(cells=cells)


def test_a_cell_that_fails_fails_the_notebook(tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="`target/python-venv/bin/pip install nbclient ipykernel`")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="no digest"):
        run(notebook("# %% [markdown]\n# # A page\n\n# %%\nassert False, 'no digest'\n"), tmp_path)


def run(page, room):
    nbclient = pytest.importorskip("nbclient", reason="`target/python-venv/bin/pip install nbclient ipykernel`")
    pytest.importorskip("ipykernel")
    nbclient.NotebookClient(page, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(room)}}).execute()
    return page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_runs_as_a_notebook(page, tmp_path):
    text = page.read_text()
    needed(text)
    done = run(notebook(text), tmp_path)
    counts = [cell.execution_count for cell in done.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1)) and any(cell.get("outputs") for cell in done.cells)
