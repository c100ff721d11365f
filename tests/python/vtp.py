"""A reader of VTK's XML PolyData with nothing but the standard library and NumPy."""

import base64
import xml.etree.ElementTree as tree
import zlib

import numpy as np

TYPES = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8", "UInt8": "u1"}


def array_of(element):
    """The numbers of a <DataArray> in base64, compressed in blocks; texts for type String."""
    text = (element.text or "").strip()
    if element.get("type") == "String":
        return bytes(int(code) for code in text.split()).decode().split("\0")[:-1]
    blocks = int(np.frombuffer(base64.b64decode(text[:12])[:8], "<u8")[0])
    header_size = 8 * (3 + blocks)
    header_text = 4 * ((header_size + 2) // 3)
    header = np.frombuffer(base64.b64decode(text[:header_text]), "<u8")
    data = base64.b64decode(text[header_text:])
    out, at = b"", 0
    for k in range(blocks):
        block = zlib.decompress(data[at : at + int(header[3 + k])])
        last = k == blocks - 1 and header[2] > 0
        assert len(block) == int(header[2] if last else header[1])
        out += block
        at += int(header[3 + k])
    assert at == len(data)
    values = np.frombuffer(out, "<" + TYPES[element.get("type")])
    components = int(element.get("NumberOfComponents", "1"))
    assert len(values) == components * int(element.get("NumberOfTuples"))
    return values.reshape(-1, components) if components > 1 else values


class PolyData:
    def __init__(self, file):
        root = tree.parse(file).getroot()
        assert root.get("type") == "PolyData" and root.get("byte_order") == "LittleEndian"
        piece = root.find("PolyData/Piece")
        named = lambda path: {a.get("Name"): array_of(a) for a in root.findall(path + "/DataArray")}
        self.field = named("PolyData/FieldData")
        self.point_data = named("PolyData/Piece/PointData")
        self.cell_data = named("PolyData/Piece/CellData")
        self.points = named("PolyData/Piece/Points")["Points"]
        assert len(self.points) == int(piece.get("NumberOfPoints"))
        for kind in ("Verts", "Lines", "Polys"):
            cells = named(f"PolyData/Piece/{kind}")
            ends = cells["offsets"]
            assert len(ends) == int(piece.get(f"NumberOf{kind}"))
            assert len(ends) == 0 or ends[-1] == len(cells["connectivity"])
            split = np.split(cells["connectivity"], ends[:-1]) if len(ends) else []
            setattr(self, kind.lower(), split)


def collection(file):
    """(time, file) of a .pvd."""
    entries = tree.parse(file).getroot().findall("Collection/DataSet")
    return [(float(e.get("timestep")), e.get("file")) for e in entries]
