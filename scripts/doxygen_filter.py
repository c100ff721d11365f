"""What Doxygen reads instead of a file: our plain comments as its own, and a page of docs/ as its main page."""

import re
import sys


def of_header(text):
    out, head = [], True
    for line in text.splitlines():
        stripped = line.lstrip()
        if head and stripped.startswith("// "):  # the comment below #pragma once is the file's
            out.append(("" if out[-1:] and out[-1].startswith("///") else "/// @file\n") + "/// " + stripped[3:])
            continue
        head = head and (not stripped or stripped.startswith("#pragma"))
        if stripped.startswith("//") and not stripped.startswith("///"):
            line = line.replace("//", "///", 1)
        elif "  // " in line and not stripped.startswith("}"):
            line = line.replace("  // ", "  ///< ", 1)
        out.append(line)
    # < is a tag to Doxygen, and so are \ and @ commands; our comments mean none of them.
    return "\n".join(plain(line) for line in out) + "\n"


def plain(line):
    code, mark, comment = line.partition("///")
    if not mark or comment.startswith(" @file"):
        return line
    back = comment.startswith("<")
    comment = re.sub(r"([\\@#%<>&])", r"\\\1", comment[1:] if back else comment)
    return code + mark + ("<" if back else "") + comment


def of_page(text):
    text = re.sub(r'^```(\w+) title="(.*)"$', r"`\2`:\n\n```\1", text, flags=re.MULTILINE)
    text = re.sub(r"^```(\w+)$", r"```{.\1}", text, flags=re.MULTILINE)
    text = re.sub(r"\]\(([\w-]+)\.md", r"](../\1.html", text)
    return text.replace("(api/index.html)", "(annotated.html)")


with open(sys.argv[1], encoding="utf-8") as file:
    print((of_page if sys.argv[1].endswith(".md") else of_header)(file.read()), end="")
