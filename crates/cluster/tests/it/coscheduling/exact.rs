//! Small cases worked by hand, to the nanosecond.

use clustersim_cluster::instrument::profile::Activity;
use clustersim_jobs::workload::parallel::{RecordedStep, Times};
use clustersim_kernel::SimDuration;
use clustersim_language::units::Bytes;

use super::support::{application, iterations, law, layout, node, pattern, published, recorded, run};

const fn ms(millis: u64) -> RecordedStep {
    RecordedStep::Compute(SimDuration::from_millis(millis))
}

fn same(found: f64, expected: f64) {
    assert!((found - expected).abs() < 5e-7, "{found} ms, not {expected} ms");
}

/// MODELS 1.4, experiment A1: 59 59 58 58 57 57, with a switch of 0.2 ms at every turn.
#[test]
fn two_tasks_that_compute_take_turns_as_published() {
    let came = run(
        &layout(1, &node(""), ""),
        published("local"),
        1,
        vec![(0, recorded(&[&[ms(100)]]), vec![0]), (0, recorded(&[&[ms(100)]]), vec![0])],
    );
    same(came.jobs[0], 160.8);
    same(came.jobs[1], 201.0);
    assert_eq!(came.profile.processors[0].of(Activity::Compute), 200_000_000);
    assert_eq!(came.profile.processors[0].of(Activity::Switch), 1_000_000);
    assert_eq!(came.profile.processors[0].of(Activity::Idle), 0);
}

/// MODELS 1.10, experiment A3: 1000 + 5 + 2 + 10 + 2 + 5 us.
#[test]
fn a_message_without_content_takes_what_its_parts_take() {
    let program = iterations(1, law(0.001, 0.0), Times::None, pattern("linear"), 0);
    let came =
        run(&layout(2, &node(""), ""), published("local"), 1, vec![(0, application(2, program), vec![0, 1])]);
    same(came.jobs[0], 1.024);
    assert_eq!(came.profile.processors[0].of(Activity::Message), 10_000);
    assert_eq!(came.profile.processors[0].of(Activity::Spin), 14_000);
}

/// Experiment A4: three messages are ready at one node at the same instant; its receive DMA takes 2
/// us each.
#[test]
fn messages_that_are_ready_together_are_deposited_one_after_the_other() {
    let size = Bytes::new(0);
    let sends: &[RecordedStep] = &[RecordedStep::Send { to: 0, size }];
    let receives: &[RecordedStep] = &[
        RecordedStep::Receive { from: 1 },
        RecordedStep::Receive { from: 2 },
        RecordedStep::Receive { from: 3 },
    ];
    let params = node("receive-overhead = \"0us\"");
    let came = run(
        &layout(4, &params, ""),
        published("local"),
        1,
        vec![(0, recorded(&[receives, sends, sends, sends]), vec![0, 1, 2, 3])],
    );
    // sent at 5 us, on the wire at 7, ready at 17, deposited at 19, 21 and 23
    same(came.jobs[0], 0.023);
    assert_eq!(came.profile.processors[0].of(Activity::Spin), 23_000);
}

#[test]
fn a_task_blocks_after_its_threshold_and_the_interrupt_wakes_it() {
    let size = Bytes::new(0);
    let receiver: &[RecordedStep] = &[RecordedStep::Receive { from: 1 }];
    let sender: &[RecordedStep] = &[ms(10), RecordedStep::Send { to: 0, size }];
    let jobs = vec![(0, recorded(&[receiver, sender]), vec![0, 1])];
    let came = run(&layout(2, &node(""), ""), published("sb"), 1, jobs);
    // the message is there at 10 ms + 5 + 2 + 10 + 2 us; 50 us of interrupt, and 5 us to decompose
    // it; the processor has run nobody else, so the switch back is free
    same(came.jobs[0], 10.074);
    let spent = came.profile.processors[0];
    assert_eq!((spent.of(Activity::Spin), spent.of(Activity::Interrupt)), (200_000, 50_000));
    assert_eq!(spent.of(Activity::Idle), 10_019_000 - 200_000);
    assert_eq!(came.profile.jobs[0].counts.blocks, 1);
}

#[test]
fn an_interrupt_takes_the_processor_from_whoever_runs() {
    let size = Bytes::new(0);
    let receiver: &[RecordedStep] = &[RecordedStep::Receive { from: 1 }];
    let sender: &[RecordedStep] = &[ms(10), RecordedStep::Send { to: 0, size }];
    let other: &[RecordedStep] = &[ms(30)];
    let jobs = vec![(0, recorded(&[receiver, sender]), vec![0, 1]), (1, recorded(&[other]), vec![0])];
    let came = run(&layout(2, &node(""), ""), published("sb"), 1, jobs);
    // the other starts at 1 ms after a switch of 0.2 ms, and is interrupted at 10.019 ms for 50 us.
    // Both are at level 59, so the one woken waits until the other's quantum of 20 ms is over:
    // 1.2 + 20 + 0.05, then a switch
    same(came.jobs[0], 21.25 + 0.2 + 0.005);
    same(came.jobs[1], 21.25 + 0.2 + 0.005 + 0.2 + 10.0);
}

#[test]
fn io_takes_its_time_while_others_compute() {
    let io = RecordedStep::Io(SimDuration::from_millis(15));
    let jobs = vec![(0, recorded(&[&[ms(5), io, ms(5)]]), vec![0]), (0, recorded(&[&[ms(50)]]), vec![0])];
    let came = run(&layout(1, &node(""), ""), published("local"), 1, jobs);
    // 5 ms, a switch, and the other's quantum to 25.2; the I/O is over at 20, and its task at 59 as
    // the other is: no preemption. The other sinks to 58, the first comes at 25.4 and is over at
    // 30.4
    same(came.jobs[0], 30.4);
    same(came.jobs[1], 30.4 + 0.2 + 30.0);
    assert_eq!(came.profile.processors[0].of(Activity::IoWait), 0);
}

#[test]
fn a_higher_level_preempts_at_the_next_tick() {
    let io = RecordedStep::Io(SimDuration::from_micros(24_300));
    let jobs = vec![(0, recorded(&[&[ms(1), io, ms(5)]]), vec![0]), (0, recorded(&[&[ms(100)]]), vec![0])];
    let came = run(&layout(1, &node(""), ""), published("local"), 1, jobs);
    // the other runs from 1.2, sinks to 58 at 21.2 and goes on; the I/O is over at 25.3, the next
    // tick is at 26
    same(came.jobs[0], 26.2 + 5.0);
    // it had 24.8 ms by then, and 75.2 ms more follow a switch
    same(came.jobs[1], 31.4 + 75.2);
}

#[test]
fn a_task_that_computes_alone_never_pays_a_switch() {
    let came =
        run(&layout(1, &node(""), ""), published("pb"), 1, vec![(0, recorded(&[&[ms(10_000)]]), vec![0])]);
    same(came.jobs[0], 10_000.0);
    assert!(came.events < 200, "{} events", came.events);
}

#[test]
fn a_daemon_of_the_operating_system_takes_its_bursts() {
    let params =
        node("daemon-period = \"10ms\"\ndaemon-burst = \"500us\"\ncontext-switch = \"0us\"\ntick = \"1us\"");
    let came =
        run(&layout(1, &params, ""), published("local"), 1, vec![(0, recorded(&[&[ms(100)]]), vec![0])]);
    // while the task is at level 59 nobody outranks it: the burst due at 10 waits until its quantum
    // is over at 20, and at 20 the daemon is due but has just begun; from then on the task is lower
    // and makes room at 30, 40 … 100
    same(came.jobs[0], 104.5);
    assert_eq!(came.profile.processors[0].of(Activity::Daemon), 4_500_000);
}
