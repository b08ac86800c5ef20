"""release_order.py FILE SEED QUASI,...: whether the rows of a release are in the order of their keyed hashes, computed by the
definition (src/release/row_order.h) from the released cells alone. All numbers of the file are plain."""
import csv
import hashlib
import hmac
import re
import struct
import sys


def word(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def quasi(cell):
    ends = re.fullmatch(r"\[(.*)\.\.(.*)\]", cell)
    texts = ends.groups() if ends else (cell,)
    return struct.pack("<Q", len(texts)) + b"".join(map(word, texts))


path, seed, names = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
key = b"kanon: order of rows".ljust(24, b"\0") + struct.pack(">Q", seed)
header, *rows = csv.reader(open(path, newline=""))


def of(row):
    shown = b"".join(quasi(cell) for name, cell in zip(header, row) if name in names)
    kept = b"".join(word(cell) for name, cell in zip(header, row) if name not in names)
    group = hmac.digest(key, shown, hashlib.sha256)[:16]
    return hmac.digest(key, group + kept, hashlib.sha256)[:16]


found = [of(row) for row in rows]
assert len(rows) > 1 and found == sorted(found), "the rows are not in the order of their hashes"
