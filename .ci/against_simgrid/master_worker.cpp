// A master sends 100,000 tasks to workers in turn, which compute them: the row of `cargo bench --bench agents`, for SimGrid's S4U.
//
// g++ -O2 -std=c++17 master_worker.cpp -lsimgrid; a.out WORKERS --cfg=network/model:CM02 --log=root.thresh:critical
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

static const int TASKS = 100000;

static double cpu_seconds()
{
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char** argv)
{
  s4u::Engine engine(&argc, argv);
  const int workers = argc > 1 ? std::atoi(argv[1]) : 100;
#if defined(SIMGRID_3)
  auto* zone = s4u::create_full_zone("star");
#else
  auto* zone = engine.get_netzone_root()->add_netzone_full("star");
#endif
  auto* master = zone->create_host("master", 1e9);
  std::vector<s4u::Host*> hosts;
  std::vector<s4u::Mailbox*> mailboxes;
  for (int i = 0; i < workers; i++) {
    const std::string number = std::to_string(i);
    hosts.push_back(zone->create_host("w" + number, 1e9));
    const auto* link = zone->create_link("l" + number, 1e8)->set_latency(1e-4)->seal();
    const s4u::LinkInRoute hop(link);
    zone->add_route(master->get_netpoint(), hosts[i]->get_netpoint(), nullptr, nullptr, {hop}, true);
    mailboxes.push_back(s4u::Mailbox::by_name(number));
  }
  zone->seal();
  double work = 1e8;
  s4u::Actor::create("master", master, [&mailboxes, &work, workers] {
    for (int task = 0; task < TASKS; task++)
      mailboxes[task % workers]->put(&work, 1000000);
  });
  for (int i = 0; i < workers; i++) {
    const int share = TASKS / workers + (i < TASKS % workers);
    s4u::Actor::create("worker", hosts[i], [&mailboxes, i, share] {
      for (int task = 0; task < share; task++)
        s4u::this_actor::execute(*mailboxes[i]->get<double>());
    });
  }
  const double begin = cpu_seconds();
  engine.run();
  const double spent = cpu_seconds() - begin;
  std::printf("%d workers: %.3f s of CPU, %.0f tasks/s, the end at %.6f s\n", workers, spent, TASKS / spent,
              s4u::Engine::get_clock());
}
