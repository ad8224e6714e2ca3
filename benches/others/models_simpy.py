"""The models in SimPy: `python models_simpy.py WORKLOAD SIZE OPERATIONS`, see `common/src/lib.rs`.

Random numbers are Python's own, of the same law: drawing those of the other programs in Python would cost more than the
events. So the check agrees with theirs as two seeds do.
"""

import random
import sys
import time

import simpy

exponential = random.Random(42).expovariate
events = 0
check = 0.0


def hold(env, size, each):
    def holder():
        global events, check
        for _ in range(each):
            yield env.timeout(exponential(1.0))
            events += 1
        check += env.now / size

    for _ in range(size):
        env.process(holder())


def mm1(env, _, customers):
    server = simpy.Resource(env)

    def customer(service):
        global events, check
        arrival = env.now
        with server.request() as turn:
            yield turn
            yield env.timeout(service)
        events += 1
        check += (env.now - arrival) / customers

    def arrivals():
        for _ in range(customers):
            yield env.timeout(exponential(1.0))
            env.process(customer(exponential(1.0 / 0.9)))

    env.process(arrivals())


def ring(env, size, each):
    boxes = [simpy.Store(env) for _ in range(size)]

    def station(own, following):
        global events, check
        for _ in range(each):
            yield env.timeout(exponential(1.0))
            following.put(None)
            yield own.get()
            events += 1
        check = env.now

    for i in range(size):
        env.process(station(boxes[i], boxes[(i + 1) % size]))


def main():
    workload = {"hold": hold, "mm1": mm1, "ring": ring}[sys.argv[1]]
    size, operations = int(sys.argv[2]), int(sys.argv[3])
    begun = time.perf_counter()
    env = simpy.Environment()
    workload(env, size, operations // size)
    env.run()
    print(f"{events} {time.perf_counter() - begun:.6f} {check:.6f}")


main()
