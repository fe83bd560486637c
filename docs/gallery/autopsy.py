# %% [markdown]
# # A hash set for Autopsy
# Autopsy and The Sleuth Kit read a list of MD5 digests as md5sum writes it, and look digests up in
# its index, which `hfind` makes. In Autopsy: Tools, Options, Hash Sets, Import, or its command line
# with an ingest profile that names the set.

# %%
import pathlib
import subprocess

import pfh

evil = pathlib.Path("evil")
evil.mkdir(exist_ok=True)
for number in range(50):
    (evil / f"{number:02}.bin").write_bytes(b"%d" % number * 1000)

# %% [markdown]
# `pfh hash -r -a md5 evil > evil.md5` writes the same list.

# %%
records = list(pfh.hash_files(evil, "md5", recursive=True))
assert all(isinstance(record, pfh.Hashed) for record in records), "a file that could not be read is in no set"
pathlib.Path("evil.md5").write_text("".join(f"{record.hexdigests['md5']}  {record.path}\n" for record in records))

# %% [markdown]
# The Sleuth Kit indexes the list, and finds a file of the evidence in it. `pfh match` reads the same
# list.

# %%
wanted = pfh.hash_file("evil/07.bin", "md5").hexdigests["md5"]
unknown = pfh.md5(b"something else").hexdigest()
pathlib.Path("evil.md5-md5.idx").unlink(missing_ok=True)
subprocess.run(["hfind", "-i", "md5sum", "evil.md5"], check=True, stdout=subprocess.DEVNULL)
said = subprocess.run(["hfind", "evil.md5", wanted, unknown], capture_output=True, text=True, check=True).stdout
print(said)
known = pfh.Known.build("evil.pfhknown", bad="evil.md5")
found = list(pfh.match(evil, "evil.pfhknown", recursive=True))

# %%
assert said.replace(wanted.upper(), wanted).splitlines() == [f"{wanted}\tevil/07.bin", f"{unknown}\tHash Not Found"], said
assert len(found) == 50 and {row.verdict.status for row in found} == {"known-bad"}
