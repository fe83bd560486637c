# %% [markdown]
# # The audit of a bucket
# The digests of all objects are kept; a later run says what is new, gone or changed. Set `BUCKET` to
# an address (`s3://bucket/prefix`) to read it with pfh's own client; without it this page fills a
# file system of fsspec in memory. Any of fsspec's will do.

# %%
import os

import fsspec
import polars

import pfh

address = os.environ.get("BUCKET")
fs = fsspec.filesystem("memory")
if not address:
    for number in range(100):
        fs.pipe(f"/bucket/{number:02}", b"object %d" % number * 1000)


def digests() -> polars.DataFrame:
    """A row for each object. One that could not be read is an error here, not a gap."""
    files = pfh.hash_files(address, "sha256") if address else pfh.hash_files(sorted(fs.glob("/bucket/*")), "sha256", filesystem=fs)
    rows = polars.DataFrame(files)
    failed = rows.filter(polars.col("status") == "failed")
    assert failed.is_empty(), failed
    return rows.filter(polars.col("status") == "hashed").select("path", "size", "sha256")


digests().write_parquet("kept.parquet")

# %% [markdown]
# Some time later: one object was changed without a change of its size, one is gone, one is new.

# %%
if not address:
    fs.pipe("/bucket/07", b"Object 7" * 1000)
    fs.rm("/bucket/08")
    fs.pipe("/bucket/new", b"new")

both = polars.read_parquet("kept.parquet").join(digests(), on="path", how="full", suffix="_now", coalesce=True)
state = (
    polars.when(polars.col("sha256_now").is_null())
    .then(polars.lit("gone"))
    .when(polars.col("sha256").is_null())
    .then(polars.lit("new"))
    .when(polars.col("sha256") != polars.col("sha256_now"))
    .then(polars.lit("changed"))
    .otherwise(polars.lit("equal"))
)
report = both.with_columns(state.alias("state"))
print(report.filter(polars.col("state") != "equal").select("state", "path", "size", "size_now").sort("path"))
print(report.group_by("state").len().sort("state"))

# %%
assert address or dict(report.group_by("state").len().rows()) == {"equal": 98, "changed": 1, "gone": 1, "new": 1}
