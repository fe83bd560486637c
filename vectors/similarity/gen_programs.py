"""Programs with imports, Rich headers and symbols, and what the reference packages say of them.

    pip install pefile telfhash python-tlsh && gen_programs.py

Writes `programs/*` and `programs.tsv` beside this file: name, imphash and Rich hash by pefile 2024.8.26 (MIT), telfhash by
telfhash 0.9.8 (Apache-2.0); `-` for none.
"""

import struct
from pathlib import Path

HERE = Path(__file__).parent
IMPORTS = [
    ("KERNEL32.dll", ["GetProcAddress", "ExitProcess", "VirtualAlloc"], True),
    ("WS2_32.dll", [1, 115, "WSAIoctl", 999], True),
    ("wsock32.DLL", [52], True),
    ("OLEAUT32.dll", [2, 6], False),
    ("panel.ocx", [7], True),
    ("Some.Driver.SYS", ["Do_It"], True),
    ("odd.drv", ["Call"], False),
]
FUNCTIONS = [f"Handle{verb}{noun}" for verb in ("Open", "Read", "Write", "Close") for noun in ("File", "Socket", "Key", "Queue", "Timer")]
LEFT_OUT = ["_start", "main", "strlen", "memcpy", "lseek64", "puts", "abort", ".hidden"]


def rich(key, entries):
    mask = lambda number: struct.pack("<I", number ^ key)
    body = struct.pack("<4s", b"DanS")
    clear = struct.unpack("<I", body)[0]
    words = mask(clear) + struct.pack("<III", key, key, key)
    return words + b"".join(mask(tool) + mask(count) for tool, count in entries) + b"Rich" + struct.pack("<I", key)


def imports(wide, base):
    """The import section at this address."""
    size = 8 if wide else 4
    mark = 1 << (63 if wide else 31)
    place = 20 * (len(IMPORTS) + 1)
    descriptors, data = b"", b""
    for library, functions, has_lookup in IMPORTS:
        names, thunks = b"", []
        start = place + len(data)
        tables = size * (len(functions) + 1) * (2 if has_lookup else 1)
        for function in functions:
            if isinstance(function, int):
                thunks.append(mark | function)
            else:
                if len(names) % 2:
                    names += b"\0"
                thunks.append(base + start + tables + len(names))
                names += struct.pack("<H", 5) + function.encode() + b"\0"
        table = b"".join(struct.pack("<Q" if wide else "<I", thunk) for thunk in [*thunks, 0])
        lookup = base + start if has_lookup else 0
        first = base + start + (len(table) if has_lookup else 0)
        name = base + start + tables + len(names)
        data += table * (2 if has_lookup else 1) + names + library.encode() + b"\0"
        data += b"\0" * (-len(data) % 8)
        descriptors += struct.pack("<IIIII", lookup, 0, 0, name, first)
    return descriptors + b"\0" * 20 + data


def program(wide, stub, with_imports=True):
    header = 0x80 + len(stub) + (-len(stub) % 16) + 16
    dos = b"MZ" + b"\0" * 58 + struct.pack("<I", header)
    dos += b"\x0e\x1f\xba\x0e" + b"\0" * (0x80 - len(dos) - 4) + stub
    dos += b"\0" * (header - len(dos))
    section = imports(wide, 0x1000) if with_imports else b"\x90" * 100
    section += b"\0" * (-len(section) % 0x200)
    optional = struct.pack("<HBBIIIII", 0x20B if wide else 0x10B, 14, 0, 0, len(section), 0, 0x1000, 0x1000)
    optional += struct.pack("<Q", 0x140000000) if wide else struct.pack("<II", 0x1000, 0x400000)
    optional += struct.pack("<IIHHHHHHIIIIHH", 0x1000, 0x200, 6, 0, 0, 0, 6, 0, 0, 0x3000, 0x400, 0, 3, 0)
    optional += struct.pack("<QQQQ" if wide else "<IIII", 0x100000, 0x1000, 0x100000, 0x1000) + struct.pack("<II", 0, 16)
    directories = [(0, 0)] * 16
    if with_imports:
        directories[1] = (0x1000, 20 * (len(IMPORTS) + 1))
    optional += b"".join(struct.pack("<II", *entry) for entry in directories)
    coff = struct.pack("<HHIIIHH", 0x8664 if wide else 0x14C, 1, 0x60000000, 0, 0, len(optional), 0x22 if wide else 0x102)
    row = b".rdata\0\0" + struct.pack("<IIIIIIHHI", len(section), 0x1000, len(section), 0x400, 0, 0, 0, 0, 0x40000040)
    head = dos + b"PE\0\0" + coff + optional + row
    assert len(head) <= 0x400
    return head + b"\0" * (0x400 - len(head)) + section


def library(wide, kind, names):
    """An ELF with a table of these functions, and of others that do not count."""
    strings, symbols = b"\0", b"\0" * (24 if wide else 16)
    entries = [(name, 0x12, 0) for name in names + LEFT_OUT] + [("LocalOne", 0x02, 0), ("SomeData", 0x11, 0), ("HiddenOne", 0x12, 2)]
    for name, info, other in entries:
        at, strings = len(strings), strings + name.encode() + b"\0"
        symbols += struct.pack("<IBBHQQ", at, info, other, 1, 64, 8) if wide else struct.pack("<IIIBBH", at, 64, 8, info, other, 1)
    names_of = b"\0.symbols\0.strings\0.names\0"
    size = 64 if wide else 52
    places = [size, size + len(symbols), size + len(symbols) + len(strings)]
    end = places[2] + len(names_of)
    end += -end % 8
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + b"\0" * 9
    head = ident + struct.pack("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", 3, 62 if wide else 3, 1, 0, 0, end, 0, size, 0, 0, 64 if wide else 40, 4, 3)
    form = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    table = b"\0" * (64 if wide else 40)
    table += struct.pack(form, 1, kind, 0, 0, places[0], len(symbols), 2, 1, 8, 24 if wide else 16)
    table += struct.pack(form, 10, 3, 0, 0, places[1], len(strings), 0, 0, 1, 0)
    table += struct.pack(form, 19, 3, 0, 0, places[2], len(names_of), 0, 0, 1, 0)
    body = head + symbols + strings + names_of
    return body + b"\0" * (end - len(body)) + table


def made():
    plain = rich(0x1C2D3E4F, [(0x01055E97, 12), (0x00937809, 3), (0x00010000, 77)])
    yield "rich-32.exe", program(False, plain)
    yield "rich-64.exe", program(True, rich(0x9A8B7C6D, [(0x01046DC7, 1)]))
    yield "without-rich.exe", program(False, b"")
    yield "without-imports.exe", program(True, plain, with_imports=False)
    yield "dynamic-64.so", library(True, 11, FUNCTIONS)
    yield "dynamic-32.so", library(False, 11, FUNCTIONS[3:])
    yield "static-64.o", library(True, 2, FUNCTIONS[::-1])
    yield "few.so", library(True, 11, FUNCTIONS[:2])


def main():
    import pefile
    import telfhash

    folder = HERE / "programs"
    folder.mkdir(exist_ok=True)
    rows = []
    for name, data in made():
        (folder / name).write_bytes(data)
        values = ["-", "-", "-"]
        if name.endswith(".exe"):
            file = pefile.PE(data=data)
            values[:2] = [file.get_imphash() or "-", file.get_rich_header_hash() or "-"]
        else:
            value = telfhash.telfhash(str(folder / name))[0]["telfhash"]
            values[2] = "-" if value in ("", "-", "tnull") else value
        rows.append("\t".join([name, *values]))
    (HERE / "programs.tsv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
