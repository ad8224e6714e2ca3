"""The routes between hosts of platform files as SimGrid 4.1 has them (H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter, JPDC
74(10), 2014): the links by name, in order, and the latency.

SimGrid: pip install -r .ci/simgrid.txt && pip install --no-build-isolation simgrid==4.1; its library lies in site-packages, which
LD_LIBRARY_PATH has to name.

usage: cd tests/data/platforms; routes.py *.xml > routes.json

All pairs of hosts are asked for where there are at most MOST of them, or else pairs of every so manyth host. Each file is read by a
process of its own, because SimGrid reads one platform in its life. Each route is the two hosts, the places of its links in the list
before (null if there is none) and the latency in seconds.
"""

import json
import subprocess
import sys

MOST = 144


def pairs(names, themselves):
    """All pairs, or of so many hosts that there are about MOST of them; those of a host and itself if that is asked for."""
    step = -(-len(names) ** 2 // MOST) if len(names) ** 2 > MOST else 1
    step = max(1, round(step**0.5))
    some = names[::step]
    return [(one, other) for one in some for other in some if themselves or one != other]


def ask(file, themselves):
    """The routes of one file; what SimGrid says if it cannot tell one."""
    from simgrid import Actor, Engine

    engine = Engine(["routes", "--log=root.thresh:critical"])
    engine.load_platform(file)
    hosts = {host.name: host for host in engine.all_hosts}
    found = []

    def tell():
        for one, other in pairs(sorted(hosts), themselves):
            try:
                links, latency = hosts[one].route_to(hosts[other])
                found.append([one, other, [link.name for link in links], latency])
            except Exception as error:
                found.append([one, other, None, str(error)])

    first = next(iter(hosts.values()))
    # the links of a route are known only while the simulation runs
    if hasattr(first, "add_actor"):
        first.add_actor("asks", tell)
    else:
        Actor.create("asks", first, tell)  # SimGrid 3
    engine.run()
    return found


def main():
    if sys.argv[1] in ("--ask", "--ask-others"):
        print(json.dumps(ask(sys.argv[2], sys.argv[1] == "--ask")))
        return
    every = {}
    for file in sys.argv[1:]:
        # in a zone without routing SimGrid dies of the way of a host to itself
        for question in ("--ask", "--ask-others"):
            told = subprocess.run([sys.executable, __file__, question, file], capture_output=True, text=True)
            lines = [line for line in told.stdout.splitlines() if line.startswith("[")][-1:]
            lines = [line for line in lines if line.startswith(('[["', "[]"))]
            if lines:
                break
        else:
            print(f"{file}: {told.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            continue
        every[file] = json.loads(lines[-1])
    print("{")
    for number, (file, routes) in enumerate(every.items()):
        links = sorted({link for *_, way, _ in routes for link in way or []})
        places = {link: place for place, link in enumerate(links)}
        print(f" {json.dumps(file)}: {{")
        print(f'  "links": {json.dumps(links, separators=(",", ":"))},')
        print('  "routes": [')
        lines = [
            json.dumps([one, other, way and [places[link] for link in way], told], separators=(",", ":"))
            for one, other, way, told in routes
        ]
        print(",\n".join("   " + line for line in lines))
        print("  ]\n }" + ("," if number + 1 < len(every) else ""))
    print("}")


if __name__ == "__main__":
    main()
