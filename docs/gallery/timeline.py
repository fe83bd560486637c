# %% [markdown]
# # The timeline of a disk image
# Names and times of an image, without mounting it and without reading its files. The image here is an
# ext4 file system by `mke2fs`, or a tar archive where that is not installed.

# %%
import os
import pathlib
import shutil
import subprocess
import tarfile

import polars

import pfh

folder = pathlib.Path("folder")
for day in range(1, 15):
    path = folder / "home" / f"day-{day:02}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"the {day}th")
    os.utime(path, (1_700_000_000 + day * 86_400,) * 2)
(folder / "home" / "day-15").write_text("the 15th")
os.utime(folder / "home" / "day-15", (1_900_000_000,) * 2)
os.environ["PATH"] += ":/sbin:/usr/sbin"
if shutil.which("mke2fs"):
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", folder, "disk.img", "8M"], check=True)
    image = "disk.img"
else:
    image = "disk.tar"
    with tarfile.open(image, "w") as archive:
        archive.add(folder / "home", "home")

# %%
listed = pfh.list_files(image)
print(len(listed), "names;", listed.messages)
rows = polars.DataFrame([{name: row.get(name) for name in ("path", "size", "mtime")} for row in listed if row["type"] == "file"])
when = polars.col("mtime").str.head(19).str.to_datetime("%Y-%m-%dT%H:%M:%S")
rows = rows.select("path", "size", when.alias("modified")).sort("modified")
print(rows)

# %% [markdown]
# Files per week, and the file whose time lies in the future.

# %%
print(rows.group_by_dynamic("modified", every="1w").agg(polars.len()))
days = rows.filter(polars.col("path").str.contains("day-"))
print(days.tail(1))

# %%
assert days.height == 15 and days["modified"].dt.year().to_list()[-1] == 2030
