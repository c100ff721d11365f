"""Looking at what a page shows."""

import io
import struct
import zlib


def pixels(png):
    """Width, height and rows of RGB(A) bytes of a PNG with 8 bits a channel, as Chromium writes them."""
    data = io.BytesIO(png)
    assert data.read(8) == b"\x89PNG\r\n\x1a\n"
    packed = b""
    while True:
        length, kind = struct.unpack(">I4s", data.read(8))
        block = data.read(length)
        data.read(4)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", block[:10])
            assert depth == 8 and colour in (2, 6)
        elif kind == b"IDAT":
            packed += block
        elif kind == b"IEND":
            break
    channels = 4 if colour == 6 else 3
    raw = zlib.decompress(packed)
    stride = width * channels
    rows, before = [], bytes(stride)
    for y in range(height):
        at = y * (stride + 1)
        before = unfilter(raw[at], bytearray(raw[at + 1 : at + 1 + stride]), before, channels)
        rows.append(before)
    return width, height, channels, rows


def unfilter(kind, line, above, step):
    for k in range(len(line)):
        left = line[k - step] if k >= step else 0
        up = above[k]
        corner = above[k - step] if k >= step else 0
        if kind == 1:
            line[k] = (line[k] + left) & 255
        elif kind == 2:
            line[k] = (line[k] + up) & 255
        elif kind == 3:
            line[k] = (line[k] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda v: abs(guess - v))
            line[k] = (line[k] + nearest) & 255
    return bytes(line)


def colours(png, every=2):
    """How many pixels there are of each colour, of every `every`th pixel in both directions."""
    width, _, channels, rows = pixels(png)
    count = {}
    for row in rows[::every]:
        for x in range(0, width, every):
            key = row[x * channels : x * channels + 3]
            count[key] = count.get(key, 0) + 1
    return count
