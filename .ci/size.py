"""Production lines by crate and room: `.ci/size.py [ROOT]`. Comments, blank lines and tests are not counted; scripts and styles of pages are, apart."""

import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
counts = collections.Counter()
for source in [root / "src", *sorted(root.glob("crates/*/src"))]:
    package = source.parent.name if source.parent.parent.name == "crates" else "clustersim"
    only_tests = set()
    for path in source.rglob("*.rs"):
        folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
        for name in re.findall(r"#\[cfg\(test\)\]\n(?:pub(?:\([a-z:_ ]*\))? )?mod (\w+);", path.read_text(encoding="utf-8")):
            only_tests |= {folder / f"{name}.rs", folder / name}
    for path in sorted(source.rglob("*")):
        kind = {".rs": "Rust", ".js": "pages", ".css": "pages", ".html": "pages"}.get(path.suffix)
        below = path.relative_to(source)
        if kind is None or only_tests & {path, *path.parents} or path.name in ("tests.rs", "golden.rs") or "tests" in below.parts:
            continue
        text = path.read_text(encoding="utf-8")
        if kind == "Rust":
            text = re.split(r"^#\[cfg\(test\)\]\nmod tests \{", text, flags=re.M)[0]
        lines = (line.strip() for line in text.splitlines())
        room = f"{package}/{below.parts[0].removesuffix('.rs')}" if len(below.parts) > 1 or below.stem in ("judge", "rows", "system") else package
        counts[room, kind] += sum(1 for line in lines if line and not line.startswith("//"))
for room in sorted({room for room, _ in counts}):
    print(f"{room:26} {counts[room, 'Rust']:7} {counts[room, 'pages']:7}")
print(f"{'total':26} {sum(n for (_, k), n in counts.items() if k == 'Rust'):7} {sum(n for (_, k), n in counts.items() if k == 'pages'):7}")
