"""Writes platform files of clusters, one of each topology with 1,024 hosts and small ones of every kind of links.

usage: clusters.py FOLDER
"""

import pathlib
import sys

LARGE = {
    "crossbar": "",
    "fat-tree": 'topology="FAT_TREE" topo_parameters="2;32,32;1,16;1,1"',
    "fat-tree-cables": 'topology="FAT_TREE" topo_parameters="3;8,8,16;1,4,4;1,2,2"',
    "dragonfly": 'topology="DRAGONFLY" topo_parameters="8,4;4,3;8,2;4"',
    "torus": 'topology="TORUS" topo_parameters="8,8,16" loopback_bw="5GBps" loopback_lat="1us"',
}
SMALL = {
    "crossbar": "",
    "fat-tree": 'topology="FAT_TREE" topo_parameters="2;4,8;1,3;1,2"',
    "dragonfly": 'topology="DRAGONFLY" topo_parameters="2,4;2,3;4,2;2"',
    "torus": 'topology="TORUS" topo_parameters="4,4,2"',
}
LINKS = {
    "shared": 'sharing_policy="SHARED"',
    "fatpipe": 'sharing_policy="FATPIPE"',
    "loopback": 'loopback_bw="500MBps" loopback_lat="1us"',
    "limiter": 'limiter_link="150MBps" loopback_bw="500MBps" loopback_lat="1us"',
    "backbone": 'bb_bw="2GBps" bb_lat="20us"',
    "wide-backbone": 'bb_bw="300MBps" bb_lat="20us" bb_sharing_policy="FATPIPE"',
}
FORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="top" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}" lat="5us" {topology} {links}/>
  </zone>
</platform>
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, topology in LARGE.items():
        text = FORM.format(last=1023, bandwidth="1GBps", topology=topology, links="")
        (folder / f"large-{name}.xml").write_text(text)
    for name, topology in SMALL.items():
        for kind, links in LINKS.items():
            # a torus without loopbacks joins no host to itself in SimGrid, and backbones are of crossbars
            refused = name != "crossbar" and "backbone" in kind or name == "torus" and "loopback" not in links
            if not refused:
                text = FORM.format(last=31, bandwidth="125MBps", topology=topology, links=links)
                (folder / f"{name}-{kind}.xml").write_text(text)


if __name__ == "__main__":
    main()
