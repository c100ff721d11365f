#!/usr/bin/env python3
"""Fails when a layer of src/scree includes a higher one, or when a folder there is not a known layer.

usage: check_layers.py [repository root]
"""
import re
import sys
from pathlib import Path

# Lowest first, as in docs/architecture.md. A layer may include itself and those before it. cuda has no physics of its
# own and nothing above needs it to be there, so scenes and records may include it.
LAYERS = ["base", "shape", "map", "learn", "world", "contact", "force", "implicit", "cuda", "step", "measure", "scene", "record",
          "view"]
SOURCES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<](scree/)?([^">]+)[">]')


def check_file(path, layer):
    """Problems of one source file, as (line, text)."""
    rank = LAYERS.index(layer)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if not match:
            continue
        below_scree, target = match.group(1), match.group(2)
        if not below_scree:
            if '"' in line:
                yield number, f'write "scree/<layer>/{Path(target).name}": includes are named from src/'
            continue
        included = target.split("/")[0]
        if included not in LAYERS:
            yield number, f"includes scree/{target}, which is in no known layer"
        elif LAYERS.index(included) > rank:
            yield number, f"{layer} includes scree/{target}, but {included} is a higher layer"


def check_tree(root):
    """All problems below root/src/scree, each one line of text."""
    tree = Path(root) / "src" / "scree"
    if not tree.is_dir():
        return [f"{tree}: not a folder"]
    problems = []
    for entry in sorted(tree.iterdir()):
        if entry.is_file() and entry.suffix in SOURCES:
            problems.append(f"{entry.relative_to(root)}: a source outside the layers; move it into a layer's folder")
        if not entry.is_dir():
            continue
        if entry.name not in LAYERS:
            problems.append(f"{entry.relative_to(root)}: not a known layer; add it to LAYERS in {Path(__file__).name}")
            continue
        for path in sorted(p for p in entry.rglob("*") if p.suffix in SOURCES):
            problems += [f"{path.relative_to(root)}:{line}: {text}" for line, text in check_file(path, entry.name)]
    return problems


if __name__ == "__main__":
    found = check_tree(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(found) if found else "layers: every include points down")
    sys.exit(1 if found else 0)
