"""When flows over platform files end in SimGrid 4.1 (H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter, JPDC 74(10), 2014).

SimGrid: as for routes.py.

usage: cd tests/data/platforms; flows.py crossbars.xml dragonfly.xml fat_tree*.xml peers.xml torus.xml > flows.json
       flows.py --counts 300,1500 FILE…

Where bandwidths change the answers differ: in SimGrid a flow keeps the bandwidth at its start as a bound.

For each file, each of MODELS and each of COUNTS, flows of drawn sizes between drawn hosts, some of them with a bound, start at drawn
times: from, to, start [s], size [B], bound [B/s] or null, end [s] or null if it fails. Files with hosts that nothing joins are told on stderr and left out.
Each run is a process of its own, because SimGrid reads one platform in its life.
"""

import json
import random
import subprocess
import sys

# Without `optim:Full` flows may end too early (SimGrid 4.1 with lazy updates).
MODELS = {
    "none": "model:CM02 optim:Full TCP-gamma:0 crosstraffic:0 weight-S:0 latency-factor:1 bandwidth-factor:1",
    "lv08": "optim:Full",
}
COUNTS = (1, 12, 60)


def draw(rng, hosts):
    """Where from and where to, when, how much, and at most how fast."""
    source, target = rng.choice(hosts), rng.choice(hosts)
    start = 0.0 if rng.random() < 0.4 else round(rng.uniform(0, 20), 3)
    size = float(int(10 ** rng.uniform(2, 8)))
    bound = float(int(10 ** rng.uniform(5, 8))) if rng.random() < 0.2 else None
    return [source, target, start, size, bound, None]


def ask(file, model, count):
    """The flows of one run, and when they end."""
    from simgrid import Engine, Mailbox, this_actor

    settings = [f"--cfg=network/{setting}" for setting in MODELS[model].split()]
    engine = Engine(["flows", "--log=root.thresh:critical", *settings])
    engine.load_platform(file)
    hosts = {host.name: host for host in engine.all_hosts}
    rng = random.Random(f"{model} {count}")
    flows = [draw(rng, sorted(hosts)) for _ in range(count)]

    def send(flow, number):
        _, _, start, size, bound, _ = flow
        this_actor.sleep_until(start)
        transfer = Mailbox.by_name(str(number)).put_init(0, int(size))
        if bound:
            transfer.set_rate(bound)
        transfer.start()
        transfer.wait()
        flow[5] = engine.clock

    def alone(act, *values):
        # who meets a failure ends by it, and nobody else does
        try:
            act(*values)
        except Exception:
            pass

    for number, flow in enumerate(flows):
        hosts[flow[0]].add_actor(f"sends {number}", alone, send, flow, number)
        hosts[flow[1]].add_actor(f"gets {number}", alone, Mailbox.by_name(str(number)).get)
    engine.run()
    return flows


def main():
    if sys.argv[1] == "--ask":
        print(json.dumps(ask(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
        return
    runs, files, counts = [], sys.argv[1:], COUNTS
    if files[0] == "--counts":
        counts, files = files[1].split(","), files[2:]
    for file in files:
        for model in MODELS:
            for count in counts:
                command = [sys.executable, __file__, "--ask", file, model, str(count)]
                done = subprocess.run(command, capture_output=True, text=True, timeout=600)
                if done.returncode != 0:
                    print(f"{file}, {model}, {count} flows: {done.stderr.strip()[-200:]}", file=sys.stderr)
                    continue
                flows = json.loads(done.stdout.splitlines()[-1])
                runs.append({"platform": file, "corrections": model, "flows": flows})
    lines = (json.dumps(run, separators=(",", ":")) for run in runs)
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main()
