#!/usr/bin/env python3
"""Draws the icon of tenon.exe: a tongue of wood in its mortise. usage: gen_icon.py OUT.ico

The same bytes each time: pixels, no library."""
import struct
import sys

PLANK, TONGUE, EDGE, NONE = (0xB4, 0x7B, 0x45), (0xE8, 0xC1, 0x8A), (0x5B, 0x38, 0x1B), None


def pixel(x, y):
    """Of a drawing 16 units wide and high."""
    if not (1 <= x < 15 and 2 <= y < 14):
        return NONE
    tongue = 5 <= y < 11 and x >= 5 or x >= 10  # the right-hand piece and what it reaches into the left with
    left = x < 10 and not tongue
    border = x < 2 or x >= 14 or y < 3 or y >= 13
    seam = (5 <= x < 10 and (5 <= y < 6 or 10 <= y < 11)) or (5 <= x < 6 and 5 <= y < 11) or (9 <= x < 10 and not 5 <= y < 11)
    return EDGE if border or seam else PLANK if left else TONGUE


def bitmap(size):
    """BITMAPINFOHEADER with 32-bit pixels, bottom up, and the mask that old shells read (ICO file format)."""
    rows, mask = b"", b""
    for row in reversed(range(size)):
        bits = ""
        for col in range(size):
            c = pixel((col + 0.5) * 16 / size, (row + 0.5) * 16 / size)
            rows += bytes((c[2], c[1], c[0], 255)) if c else bytes(4)
            bits += "0" if c else "1"
        line = int(bits.ljust((size + 31) // 32 * 32, "0"), 2).to_bytes((size + 31) // 32 * 4, "big")
        mask += line
    return struct.pack("<IiiHHIIiiII", 40, size, size * 2, 1, 32, 0, len(rows) + len(mask), 0, 0, 0, 0) + rows + mask


def main():
    images = [(n, bitmap(n)) for n in (16, 32, 48)]
    head, body = struct.pack("<HHH", 0, 1, len(images)), b""
    for size, data in images:
        head += struct.pack("<BBBBHHII", size, size, 0, 0, 1, 32, len(data), 6 + 16 * len(images) + len(body))
        body += data
    with open(sys.argv[1], "wb") as f:
        f.write(head + body)


main()
