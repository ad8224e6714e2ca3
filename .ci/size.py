"""Production lines by room: `.ci/size.py [ROOT]`. Comments, blank lines and tests are not counted; scripts and styles of pages are, apart."""

import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "src"
counts = collections.Counter()
only_tests = set()
for path in root.rglob("*.rs"):
    folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
    for name in re.findall(r"#\[cfg\(test\)\]\n(?:pub(?:\([a-z:_ ]*\))? )?mod (\w+);", path.read_text(encoding="utf-8")):
        only_tests.add(folder / f"{name}.rs")
for path in sorted(root.rglob("*")):
    kind = {".rs": "Rust", ".js": "pages", ".css": "pages", ".html": "pages"}.get(path.suffix)
    below = path.relative_to(root)
    if kind is None or path in only_tests or path.name in ("tests.rs", "golden.rs") or "tests" in below.parts:
        continue
    text = path.read_text(encoding="utf-8")
    if kind == "Rust":
        text = re.split(r"^#\[cfg\(test\)\]\nmod tests \{", text, flags=re.M)[0]
    lines = (line.strip() for line in text.splitlines())
    room = below.parts[0] if len(below.parts) > 1 else "(root)"
    counts[room, kind] += sum(1 for line in lines if line and not line.startswith("//"))
for room in sorted({room for room, _ in counts}):
    print(f"{room:12} {counts[room, 'Rust']:7} {counts[room, 'pages']:7}")
print(f"{'total':12} {sum(n for (_, k), n in counts.items() if k == 'Rust'):7} {sum(n for (_, k), n in counts.items() if k == 'pages'):7}")
