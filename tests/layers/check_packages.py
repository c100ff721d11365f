#!/usr/bin/env python3
"""Fails when a package that scripts/setup installs has no reason in docs/dependencies.md.

usage: check_packages.py [repository root]
"""
import sys
from pathlib import Path


def packages(root):
    """Names in scripts/packages.txt: the second word of each line that is not a comment."""
    lines = (Path(root) / "scripts" / "packages.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[1] for line in lines if line.strip() and not line.startswith("#")]


def unexplained(root):
    text = (Path(root) / "docs" / "dependencies.md").read_text(encoding="utf-8")
    return [name for name in packages(root) if f"`{name}`" not in text]


if __name__ == "__main__":
    missing = unexplained(sys.argv[1] if len(sys.argv) > 1 else ".")
    for package in missing:
        print(f"scripts/packages.txt: {package} is not explained in docs/dependencies.md")
    sys.exit(1 if missing else 0)
