# %% [markdown]
# # A timeline for Timesketch
# The times of each file of an image and its digest, in the columns that Timesketch needs: `message`,
# `datetime` and `timestamp_desc`. Import the file in its web page, or by `timesketch_importer`.

# %%
import json
import os
import pathlib
import shutil
import subprocess

import pfh

folder = pathlib.Path("folder")
folder.mkdir(exist_ok=True)
for day in range(1, 15):
    (folder / f"day-{day:02}").write_text(f"the {day}th")
    os.utime(folder / f"day-{day:02}", (1_700_000_000 + day * 86_400,) * 2)
os.environ["PATH"] += ":/sbin:/usr/sbin"
if shutil.which("mke2fs"):
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", folder, "disk.img", "8M"], check=True)
image = "disk.img" if pathlib.Path("disk.img").exists() else folder

# %% [markdown]
# One event for each time of a file. A file without a digest is an event too, which says why.

# %%
DESCRIPTIONS = {
    "mtime": "Content Modification Time",
    "atime": "Last Access Time",
    "ctime": "Metadata Modification Time",
    "crtime": "Creation Time",
}


def events(rows):
    for row in rows:
        times = {name: row.get(name) or (row.get("inside") or {}).get(name) for name in DESCRIPTIONS}
        for name, time in times.items():
            if time:
                digest = digests.get(row["path"], "no digest")
                yield {
                    "message": f"{row['path']} ({row['size']} bytes, {digest})",
                    "datetime": time,
                    "timestamp_desc": DESCRIPTIONS[name],
                    "data_type": "pfh:file",
                    "path": row["path"],
                    "size": row["size"],
                    "sha256": digest,
                }


inside = image != folder
digests = {record.path: record.hexdigests["sha256"] for record in pfh.hash_files(image, "sha256", recursive=True, inside=inside) if isinstance(record, pfh.Hashed)}
listed = pfh.list_files(image, recursive=True)
with open("timeline.jsonl", "w") as timeline:
    for event in events(row for row in listed if row["type"] == "file"):
        timeline.write(json.dumps(event) + "\n")
print(len(listed), "names;", listed.messages)

# %% [markdown]
# Timesketch's own reader takes it (`pip install timesketch`).

# %%
from timesketch.lib.utils import read_and_validate_jsonl

lines = pathlib.Path("timeline.jsonl").read_text().splitlines()
with open("timeline.jsonl") as timeline:
    read = list(read_and_validate_jsonl(timeline))
print(read[0])

# %%
modified = [event for event in read if event["timestamp_desc"] == "Content Modification Time" and "day-" in event["path"]]
assert len(read) == len(lines) and len(modified) == 14
assert modified[0]["datetime"].startswith("2023-11-15") and len(modified[0]["sha256"]) == 64
