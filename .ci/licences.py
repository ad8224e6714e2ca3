"""The licences of every library in the program, from `cargo metadata` on stdin: name, version, licence, and the texts that its package has."""

import json
import pathlib
import sys

metadata = json.load(sys.stdin)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
root = metadata["resolve"]["root"]

# what is linked: neither what tests nor what builds need
linked, waiting = set(), [root]
while waiting:
    one = waiting.pop()
    if one in linked:
        continue
    linked.add(one)
    for needed in nodes[one]["deps"]:
        if any(kind["kind"] is None for kind in needed["dep_kinds"]):
            waiting.append(needed["pkg"])
linked.discard(root)

by_text = {}
for one in sorted(linked, key=lambda one: (packages[one]["name"], packages[one]["version"])):
    package = packages[one]
    print(f"{package['name']} {package['version']}: {package['license'] or 'see its text'}")
    folder = pathlib.Path(package["manifest_path"]).parent
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")):
            text = path.read_text(encoding="utf-8", errors="replace").strip()
            by_text.setdefault(text, []).append(f"{package['name']} {package['version']}")

for text, names in by_text.items():
    print(f"\n{'=' * 100}\n{', '.join(names)}\n{'=' * 100}\n\n{text}")
