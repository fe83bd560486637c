# %% [markdown]
# # A known-file filter in polars
# Files of an operating system are set aside, known bad files come first, and the rest is what a
# person looks at. Here both sets are lists of three digests; `pfh known build` takes the NSRL.

# %%
import pathlib

import polars

import pfh

evidence = pathlib.Path("evidence")
for number in range(300):
    path = evidence / f"{number % 7}" / f"{number:03}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"%d" % (number % 40) * 100)

system = "".join(pfh.sha256(b"%d" % number * 100).hexdigest() + "\n" for number in range(30))
malware = pfh.sha256(b"33" * 100).hexdigest() + "\n"
pathlib.Path("system.txt").write_text(system)
pathlib.Path("malware.txt").write_text(malware)
known = pfh.Known.build("known.pfhknown", good="system.txt", bad="malware.txt")
print(known.sets)

# %% [markdown]
# A row for each file: its record, the verdict, and the sets that hold it.

# %%
matches = pfh.match(evidence, "known.pfhknown", recursive=True)
rows = polars.DataFrame([matched.asdict() for matched in matches])
print(rows.group_by("verdict").len().sort("verdict"))

# %% [markdown]
# What is left, without duplicates. The digests are the columns of `hash_files`.

# %%
hashed = polars.DataFrame(pfh.hash_files(evidence, ["md5", "sha256"], recursive=True))
left = hashed.join(rows.filter(polars.col("verdict") != "known-good").select("path", "verdict"), on="path")
unique = left.group_by("sha256").agg(polars.col("path").first(), polars.len().alias("copies"), polars.col("verdict").first())
print(unique.sort("verdict", "path").select("path", "copies", "verdict"))

# %%
assert len(rows) == 300 and matches.exit == 1
assert unique.height == 10 and unique.filter(polars.col("verdict") == "known-bad").height == 1
