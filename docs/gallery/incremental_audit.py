# %% [markdown]
# # An incremental audit with Dask
# A hash tree beside each large file: a check reads the file and names the ranges that differ, an
# update hashes only what was written. Each file is a task, on any number of machines that see them.

# %%
import os
import pathlib

from distributed import Client

import pfh

folder = pathlib.Path("disks")
folder.mkdir()
for number in range(6):
    (folder / f"{number}.img").write_bytes(os.urandom(1 << 20))


def build(path: str) -> pfh.TreeState:
    return pfh.HashTree(path).build()


def check(path: str) -> pfh.TreeState:
    return pfh.HashTree(path).check()


client = Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
paths = sorted(str(path) for path in folder.glob("*.img"))
roots = dict(zip(paths, client.gather(client.map(build, paths)), strict=True))
for path, state in roots.items():
    print(path, state.length, state.root[:16])

# %% [markdown]
# A machine writes a block and says so: the update reads that block alone. A bit rots in another file,
# and nobody says so: the next audit finds where.

# %%
with open(paths[1], "r+b") as file:
    file.seek(500_000)
    file.write(b"written")
pfh.HashTree(paths[1]).update([(500_000, 500_007)])
with open(paths[4], "r+b") as file:
    file.seek(700_000)
    byte = file.read(1)
    file.seek(700_000)
    file.write(bytes([byte[0] ^ 1]))

states = client.gather(client.map(check, paths, pure=False))
client.close()
for path, state in zip(paths, states, strict=True):
    print(path, "as kept" if state else f"differs in {state.corrupt}")

# %%
wrong = [path for path, state in zip(paths, states, strict=True) if not state]
assert wrong == [paths[4]] and states[4].corrupt[0][0] <= 700_000 < states[4].corrupt[0][1]
assert states[1].root != roots[paths[1]].root and states[0] == check(paths[0])
