//! A node whose tasks compute and wait for their I/O, against the machine-repair model.

use clustersim_jobs::workload::parallel::Times;
use clustersim_kernel::rng::Sampler;
use clustersim_kernel::rng::distribution::Exponential;

use super::support::{application, iterations, layout, node, pattern, published, run};

/// `tasks` tasks that compute for 10 ms and do I/O for 40 ms, both exponential, on one processor
/// without overheads.
///
/// The machine-repair model (M/M/1 with `tasks` customers): with a = 10 / 40, the processor is idle
/// with probability 1 / Σ tasks! / (tasks - k)! a^k, whatever the order of service, as long as it
/// does not look at what is left.
fn repair(tasks: u32, count: u32, scheduler: &str) {
    let law = |mean| Times::All(Sampler::new(Exponential::new(mean).expect("positive")));
    let program = || iterations(count, law(0.01), law(0.04), pattern("none"), 0);
    let jobs = (0..tasks).map(|_| (0, application(1, program()), vec![0])).collect();
    let params = node(&format!("context-switch = \"0us\"\ntick = \"100us\"\nscheduler = {scheduler}"));
    let came = run(&layout(1, &params, ""), published("local"), 1, jobs);
    let (mut sum, mut term) = (1.0, 1.0);
    for others in 0..tasks {
        term *= f64::from(tasks - others) * 0.25;
        sum += term;
    }
    let cycle = f64::from(tasks) * 10.0 / (1.0 - 1.0 / sum);
    let found = came.mean() / f64::from(count);
    println!("{tasks} tasks, {scheduler}: a cycle takes {found:.2} ms, by theory {cycle:.2} ms");
    assert!((found / cycle - 1.0).abs() < 0.03, "{found} ms, not {cycle} ms");
}

#[test]
fn a_node_with_io_is_as_busy_as_machine_repair_theory_says() {
    for tasks in [1, 2, 4, 8] {
        for scheduler in ["\"solaris\"", "{ kind = \"round-robin\", quantum = \"5ms\" }", "\"fair\""] {
            repair(tasks, 16_000 / tasks, scheduler);
        }
    }
}
