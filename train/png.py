"""PNG files from arrays, lines and small letters on them; numpy and zlib only."""
import struct
import zlib

import numpy as np

# 3 x 5 letters: 15 bits, rows from the top, the left bit first.
_FONT = dict(zip(
    "0123456789abcdefghijklmnopqrstuvwxyz.-:/%_",
    (0x7B6F, 0x2C97, 0x73E7, 0x73CF, 0x5BC9, 0x79CF, 0x79EF, 0x7252, 0x7BEF, 0x7BCF,
     0x2BED, 0x6BAE, 0x3923, 0x6B6E, 0x79A7, 0x79A4, 0x396B, 0x5BED, 0x7497, 0x126A, 0x5BAD,
     0x4927, 0x5FED, 0x6B6D, 0x2B6A, 0x6BA4, 0x2B73, 0x6BAD, 0x388E, 0x7492, 0x5B6F, 0x5B6A,
     0x5BFD, 0x5AAD, 0x5A92, 0x72A7, 0x0002, 0x01C0, 0x0410, 0x12A4, 0x52A5, 0x0007)))


def save(path, image):
    """image [height, width, 3], bytes"""
    image = np.ascontiguousarray(image, np.uint8)
    height, width, _ = image.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], 1)

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
                + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b""))


def blank(width, height):
    return np.full((height, width, 3), 255, np.uint8)


def write(image, x, y, text, colour=(60, 60, 60), scale=2):
    """Letters of 3 x 5 dots with their upper left corner at x, y; unknown ones are blanks."""
    for c in text.lower():
        bits = np.array([_FONT.get(c, 0) >> (14 - i) & 1 for i in range(15)], bool).reshape(5, 3)
        dots = np.repeat(np.repeat(bits, scale, 0), scale, 1)
        part = image[y:y + 5 * scale, x:x + 3 * scale]
        part[dots[:part.shape[0], :part.shape[1]]] = colour
        x += 4 * scale


def line(image, xs, ys, colour):
    """A polyline, clipped to the image."""
    for x0, y0, x1, y1 in zip(xs, ys, xs[1:], ys[1:]):
        n = int(max(abs(x1 - x0), abs(y1 - y0))) + 1
        x = np.round(np.linspace(x0, x1, n + 1)).astype(int)
        y = np.round(np.linspace(y0, y1, n + 1)).astype(int)
        ok = (x >= 0) & (y >= 0) & (x < image.shape[1]) & (y < image.shape[0])
        image[y[ok], x[ok]] = colour
