"""The ring of `cargo bench --bench coscheduling`, in SimPy: each process holds, sends to the next, and receives.

python3 -m venv VENV && VENV/bin/pip install simpy==4.1.1 && VENV/bin/python benches/others/ring_simpy.py [PROCESSES [ITERATIONS]]

An iteration is an exponential delay with a mean of 1 s, a message put into the store of the next process, and a message
got from its own. Prints iterations of processes a second, the median of five runs and their range.
"""

import random
import statistics
import sys
import time

import simpy


def process(env, draw, mine, following, iterations):
    for _ in range(iterations):
        yield env.timeout(draw(1.0))
        following.put(0)
        yield mine.get()


def run(processes, iterations):
    env = simpy.Environment()
    draw = random.Random(42).expovariate
    stores = [simpy.Store(env) for _ in range(processes)]
    for rank in range(processes):
        env.process(process(env, draw, stores[rank], stores[(rank + 1) % processes], iterations))
    start = time.perf_counter()
    env.run()
    return processes * iterations / (time.perf_counter() - start)


def main():
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000 // processes
    rates = sorted(run(processes, iterations) for _ in range(5))
    print(
        f"SimPy {simpy.__version__}, {processes} processes: {statistics.median(rates):,.0f} iterations a second "
        f"({rates[0]:,.0f} to {rates[-1]:,.0f})"
    )


main()
