#!/usr/bin/env python3
"""Fails when a tracked file names a folder of somebody's machine.

usage: check_paths.py [repository root]
"""
import re
import subprocess
import sys
from pathlib import Path

# Home and workspace folders at the start of a path. Written in pieces so that this file passes its own check.
FOLDERS = ["work", "root", "home", "Users"]
MACHINE_PATH = re.compile(rf"(?<![\w./~$}}>-])/(?:{'|'.join(FOLDERS)})/[\w.-]+")


def tracked_files(root):
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True).stdout
    return [Path(root) / name for name in listing.decode().split("\0") if name]


def machine_paths(path):
    """(line, path) of each machine path in a text file; nothing for binary files."""
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return
    for number, line in enumerate(text.splitlines(), start=1):
        for match in MACHINE_PATH.finditer(line):
            yield number, match.group(0)


def main(root):
    try:
        files = tracked_files(root)
    except (OSError, subprocess.CalledProcessError):
        print("paths: not a git checkout, nothing is tracked here")
        return 0
    found = [f"{path.relative_to(root)}:{line}: {text}" for path in files for line, text in machine_paths(path)]
    print("\n".join(found) if found else f"paths: none of {len(files)} tracked files names a machine's folder")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
