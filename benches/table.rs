//! A table of what pieces of work take, for the rows of one benchmark.
//!
//! Each row has its seconds of processor time, what they are to stay below, and one task's share of
//! them in events of the bare loop, which takes turns with the rows. Memory is that of the program
//! itself, which the benchmark runs as `clustersim run`.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::bare::{bare_best, median};

/// Rounds of a row that takes long, and of others.
const ROUNDS: (usize, usize) = (1, 3);
/// Seconds that a measurement takes at least.
const ENOUGH: f64 = 0.1;
/// The goal [s] above which a row is left out of a quick look.
const LARGE: f64 = 0.5;
/// The goal [s] above which a row is done once.
const LONG: f64 = 2.0;

/// What a row does: once made ready, again and again. It gives its seconds.
pub(crate) type Work = Box<dyn Fn() -> f64>;

/// A row of the table.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) tasks: u32,
    /// Seconds below which it has to stay.
    pub(crate) floor: f64,
    /// Seconds below which it should stay.
    pub(crate) goal: f64,
    pub(crate) ready: Box<dyn Fn() -> Work>,
}

/// The scenario of a whole run, from the folder that it is run in; other files are written there.
pub(crate) type WriteScenario = Box<dyn Fn(&Path) -> String>;

/// A whole run of the program, whose memory is looked at.
pub(crate) struct MemoryRow {
    pub(crate) name: &'static str,
    /// MB below which it has to stay.
    pub(crate) floor: f64,
    /// MB below which it should stay.
    pub(crate) goal: f64,
    pub(crate) write: WriteScenario,
}

/// What one benchmark measures.
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    pub(crate) memory: Vec<MemoryRow>,
    /// Prints how plans grow; the numbers of tasks are divided by its argument.
    pub(crate) growth: fn(u32),
}

impl Table {
    /// Measures and prints what the arguments of the process ask for.
    pub(crate) fn print(self) -> ExitCode {
        let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
        if let [first, words @ ..] = &args[..]
            && first == "--program"
        {
            return program(words);
        }
        if let [count, name] = &args[..]
            && count == "--count"
        {
            let row = self.rows.into_iter().find(|row| row.name == *name).unwrap();
            println!("{:.3} s", (row.ready)()());
            return ExitCode::SUCCESS;
        }
        let is_quick = args.iter().any(|arg| arg == "--quick");
        let text = args.iter().find(|arg| !arg.starts_with("--")).map_or("", String::as_str);
        let bare = median((0..3).map(|_| bare_best(100, 4_000_000)).collect());
        println!("{:<32}{:>10}{:>10}{:>10}{:>13}", "work", "seconds", "floor", "goal", "bare events");
        for row in self.rows {
            if row.name.contains(text) && !(is_quick && row.goal > LARGE) {
                row.measure(is_quick, bare);
            }
        }
        for row in self.memory {
            if row.name.contains(text) && !is_quick {
                row.measure();
            }
        }
        if text.is_empty() || text == "growth" {
            (self.growth)(if is_quick { 10 } else { 1 });
        }
        ExitCode::SUCCESS
    }
}

impl Row {
    fn measure(self, is_quick: bool, bare: f64) {
        let work = (self.ready)();
        let rounds = if is_quick || self.goal > LONG { ROUNDS.0 } else { ROUNDS.1 };
        let seconds = median((0..rounds).map(|_| repeated(&*work)).collect());
        let Row { name, tasks, floor, goal, .. } = self;
        let (events, verdict) = (seconds / f64::from(tasks) * bare, verdict(seconds, floor, goal));
        println!("{name:<32}{seconds:>10.4}{floor:>10}{goal:>10}{events:>13.1}  {verdict}");
    }
}

impl MemoryRow {
    /// The most memory that the program has for a run from beginning to end, in MB.
    fn measure(self) {
        let MemoryRow { name, floor, goal, write } = self;
        let (seconds, peak) = whole_run(&write);
        let verdict = verdict(peak, floor, goal);
        println!("{name:<32}{peak:>7.0} MB{floor:>10}{goal:>10}{seconds:>11.2} s  {verdict}");
    }
}

/// Seconds of a whole run of the program, and the most memory that it has, in MB.
pub(crate) fn whole_run(write: &WriteScenario) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.toml");
    fs::write(&path, write(folder.path())).unwrap();
    let out = folder.path().join("out");
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.arg("--program").arg("run").arg(&path).arg("-o").arg(&out).args(["-q", "--no-progress"]);
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let last = String::from_utf8_lossy(&output.stdout);
    let words = last.lines().last().unwrap().split_whitespace();
    let mut numbers = words.map(|word| word.parse::<f64>().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The program itself; its last line is the time that it took and the most memory that it had.
pub(crate) fn program(words: &[String]) -> ExitCode {
    let begun = Instant::now();
    let named = std::iter::once("clustersim".into()).chain(words.iter().map(Into::into));
    let status = clustersim_cli::status(&clustersim::system::standard(), named);
    let memory = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<f64>().ok());
    println!("\n{} {}", begun.elapsed().as_secs_f64(), kilobytes.unwrap_or(f64::NAN) * 1024.0 / 1e6);
    ExitCode::from(status)
}

pub(crate) fn verdict(measured: f64, floor: f64, goal: f64) -> &'static str {
    match measured {
        less if less <= goal => "goal reached",
        less if less <= floor => "floor reached",
        _ => "ABOVE THE FLOOR",
    }
}

/// The seconds of processor time that this thread has had, where the system says; else those of the
/// clock.
fn seconds_so_far(begun: Instant) -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stat.and_then(|stat| stat.split_whitespace().next()?.parse::<f64>().ok());
    nanos.map_or_else(|| begun.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// What a piece of work takes; the clock of processor time moves in steps of some milliseconds.
pub(crate) fn seconds_of(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    let before = seconds_so_far(begun);
    work();
    seconds_so_far(begun) - before
}

/// Seconds of a piece of work, which is done until it has taken long enough to be measured.
pub(crate) fn repeated(work: &dyn Fn() -> f64) -> f64 {
    let (mut seconds, mut count) = (0.0, 0);
    while seconds < ENOUGH {
        seconds += work();
        count += 1;
    }
    seconds / f64::from(count)
}
