#!/usr/bin/env python3
"""The source checks fail when they should: each is run on a small tree with one thing wrong."""
import tempfile
import unittest
from pathlib import Path

import check_layers
import check_packages
import check_paths


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Layers(Tree):
    def test_downward_include_passes(self):
        self.write("src/scree/step/a.cpp", '#include "scree/base/vec.hpp"\n#include <vector>\n')
        self.assertEqual(check_layers.check_tree(self.root), [])

    def test_upward_include_is_named_with_file_and_line(self):
        self.write("src/scree/shape/a.hpp", '#pragma once\n#include "scree/map/contact_map.hpp"\n')
        (problem,) = check_layers.check_tree(self.root)
        self.assertIn("src/scree/shape/a.hpp:2:", problem)
        self.assertIn("higher layer", problem)

    def test_spaces_and_angle_brackets_do_not_hide_an_include(self):
        self.write("src/scree/base/a.cu", "#  include <scree/record/png.hpp>\n")
        self.assertEqual(len(check_layers.check_tree(self.root)), 1)

    def test_include_relative_to_its_own_folder(self):
        self.write("src/scree/base/a.cpp", '#include "../record/png.hpp"\n')
        self.assertEqual(len(check_layers.check_tree(self.root)), 1)

    def test_unknown_folder_and_stray_source(self):
        self.write("src/scree/utils/a.hpp", "")
        self.write("src/scree/all.hpp", "")
        self.assertEqual(len(check_layers.check_tree(self.root)), 2)

    def test_missing_tree(self):
        self.assertEqual(len(check_layers.check_tree(self.root)), 1)


class Paths(Tree):
    def test_machine_path_is_found(self):
        for folder in check_paths.FOLDERS:
            path = self.write("a.md", f"first\nsee /{folder}/someone/thing\n")
            self.assertEqual([line for line, _ in check_paths.machine_paths(path)], [2], folder)

    def test_other_paths_pass(self):
        folder = check_paths.FOLDERS[0]
        path = self.write("a.md", f"/usr/local, docs/{folder}/x, $HOME/{folder}/x, ./{folder}/x, net{folder}/\n")
        self.assertEqual(list(check_paths.machine_paths(path)), [])


class Packages(Tree):
    def test_package_without_reason_is_found(self):
        self.write("scripts/packages.txt", "# group package\nbuild cmake cmake\nbuild libfoo-dev -\n")
        self.write("docs/dependencies.md", "| `cmake` | builds |\n")
        self.assertEqual(check_packages.unexplained(self.root), ["libfoo-dev"])


if __name__ == "__main__":
    unittest.main()
