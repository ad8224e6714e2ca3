"""Writes a PNG of 8-bit RGB or RGBA again with a palette of at most 256 colours, which is a third of the size.

usage: reduce_colours.py FROM.png TO.png

The most frequent colours are kept; any other becomes the nearest of them. Nothing but Python itself is needed.
"""

import collections
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def unfilter(raw, height, stride, step):
    """The rows of a PNG, their filters undone."""
    rows, prior = [], bytearray(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = row[i - step] if i >= step else 0
            up, corner = prior[i], prior[i - step] if i >= step else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                row[i] = (row[i] + min((left, up, corner), key=lambda near: abs(guess - near))) & 255
        rows.append(row)
        prior = row
    return rows


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def main(source, target):
    parts = list(chunks(open(source, "rb").read()))
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
    step = {2: 3, 6: 4}.get(colours)
    if depth != 8 or interlaced or step is None:
        sys.exit(f"{source}: not a PNG of 8-bit RGB or RGBA")
    raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    rows = [[bytes(row[i:i + 3]) for i in range(0, width * step, step)] for row in unfilter(raw, height, width * step, step)]
    counts = collections.Counter(pixel for row in rows for pixel in row)
    kept = [colour for colour, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:256]]
    place = {colour: index for index, colour in enumerate(kept)}
    for colour in counts:
        if colour not in place:
            nearest = min(range(len(kept)), key=lambda index: sum((a - b) ** 2 for a, b in zip(colour, kept[index])))
            place[colour] = nearest
    packed = b"".join(b"\0" + bytes(place[pixel] for pixel in row) for row in rows)
    with open(target, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)))
        file.write(chunk(b"PLTE", b"".join(kept)))
        file.write(chunk(b"IDAT", zlib.compress(packed, 9)))
        file.write(chunk(b"IEND", b""))


main(*sys.argv[1:])
