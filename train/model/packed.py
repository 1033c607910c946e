"""A packed file of a voice -> its files and its tensors, in float32 (docs/FORMATS.md).

Of quantised matrices, the values that the engine multiplies with. What several matrices share
(q, k and v; gate and up) is taken apart again.
"""
import struct

import numpy as np

FILE, TENSOR, SHAPE, PANELS = 1, 2, 3, 4
F32, BF16, F16, NONE, Q8, Q4 = range(6)
ROWS = 16                           # of a panel
ROW = struct.Struct("<160sQQQIIIf4Q24x")
JOINT = {"q_proj": ("qkv_proj", ("q_proj", "k_proj", "v_proj")),
         "gate_proj": ("gate_up_proj", ("gate_proj", "up_proj"))}
JOINT.update({name: JOINT[first] for first in list(JOINT) for name in JOINT[first][1]})


def floats(raw, kind):
    if kind == BF16:
        return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
    return np.frombuffer(raw, "<f4" if kind == F32 else "<f2").astype(np.float32)


def blocks(raw, kind, shape, factor):
    """[panels, taps, inner] of q8 or q4 -> [panels * 16, inner]; one tap"""
    panels, taps, inner = shape
    assert taps == 1
    pairs = (inner + 63) // 64
    if kind == Q8:
        pair = np.dtype([("scale", "<f2", (2, ROWS)), ("code", "i1", (2, 8, ROWS, 4))])
        p = np.frombuffer(raw, pair).reshape(panels, pairs)
        code = p["code"].astype(np.float32)
    else:
        pair = np.dtype([("scale", "<f2", (2, ROWS)), ("code", "u1", (2, 4, ROWS, 4))])
        p = np.frombuffer(raw, pair).reshape(panels, pairs)
        code = np.concatenate([p["code"] & 15, p["code"] >> 4], 3).astype(np.float32) - 8
    # panel, pair, block, group, row, k -> panel, row, pair, block, group, k
    scale = p["scale"].astype(np.float32)[:, :, :, None, :, None] * factor
    values = (code * scale).transpose(0, 4, 1, 2, 3, 5)
    return values.reshape(panels * ROWS, pairs * 64)[:, :inner]


def matrix(raw, kind, shape, factor):
    """panels -> [rows, inner]"""
    if kind in (Q8, Q4):
        return blocks(raw, kind, shape, factor)
    panels, taps, inner = shape
    assert taps == 1
    return floats(raw, kind).reshape(panels, inner, ROWS).transpose(0, 2, 1).reshape(-1, inner)


def part(panels, name, shapes):
    """The rows of tensor `name` in the panels that hold it."""
    base, last = name[:-len(".weight")].rsplit(".", 1)
    if base + "." + last in panels:
        return panels[base + "." + last]
    joint, members = JOINT[last]
    whole = panels[base + "." + joint].reshape(-1, ROWS, shapes[name][1])
    counts = [-(-shapes["%s.%s.weight" % (base, m)][0] // ROWS) for m in members]
    if joint == "gate_up_proj":     # in turn
        return whole[members.index(last)::2].reshape(-1, shapes[name][1])
    at = sum(counts[:members.index(last)])
    return whole[at:at + counts[members.index(last)]].reshape(-1, shapes[name][1])


def read(path):
    """-> {name: bytes} of the files, {name: array} of the tensors"""
    with open(path, "rb") as f:
        data = f.read()
    major, = struct.unpack_from("<I", data, 8)
    assert data[:8] == b"\x89KAZEIA\n" and major == 2, "%s: no packed file of version 2" % path
    table, = struct.unpack_from("<Q", data, 24)
    count, = struct.unpack_from("<I", data, 40)
    files, tensors, shapes, panels = {}, {}, {}, {}
    for i in range(count):
        name, at, size, _, kind, of, rank, factor, *shape = ROW.unpack_from(data, table + i * 256)
        name, shape, raw = name.rstrip(b"\0").decode(), shape[:rank], data[at:at + size]
        if kind == FILE:
            files[name] = raw
        elif kind == TENSOR:
            tensors[name] = floats(raw, of).reshape(shape)
        elif kind == SHAPE:
            shapes[name] = shape
        else:
            panels[name] = matrix(raw, of, shape, factor)
    for name, shape in shapes.items():
        tensors[name] = part(panels, name, shapes)[:shape[0]].reshape(shape)
    return files, tensors
