//! The kinds of complaint, each with a code that `clustersim explain` takes.
//!
//! A code never changes its meaning and is never used again for another.

/// A kind of complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    /// The name as printed, for example `CS0005`.
    pub id: &'static str,
    /// The kind of mistake.
    pub title: &'static str,
    /// The advice to the author.
    pub advice: &'static str,
}

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal, $advice:literal;)*) => {
        $(#[doc = $title] pub const $name: &Code = &Code { id: $id, title: $title, advice: $advice };)*
        /// Every code, in order.
        pub const ALL: &[&Code] = &[$($name),*];
    };
}

codes! {
    SYNTAX = "CS0001", "the file is not TOML",
        "The text breaks TOML's grammar at the place shown. Strings need quotes: write \"200us\", not 200us.";
    TYPE = "CS0002", "a value has the wrong type",
        "The key takes another type of value. A quantity with a unit is a string; counts and ratios are bare numbers.";
    QUANTITY = "CS0003", "a quantity cannot be read",
        "A quantity is a number and a unit: \"200us\", \"2h30m\", \"64 GiB\", \"10Gbps\". `b` is a bit and `B` a byte; \
         k, M, G are powers of 1000 and Ki, Mi, Gi powers of 1024.";
    RANGE = "CS0004", "a value is out of range",
        "The value has the right type, but the key allows only the range that the message names.";
    UNKNOWN_KEY = "CS0005", "a key is not known",
        "No key of that name exists in this table. Unknown keys are errors so that a typing mistake never turns into \
         a default. `clustersim explain TABLE` lists the keys of a table.";
    MISSING_KEY = "CS0006", "a key is missing",
        "The key has no default, because no value would be right for most scenarios.";
    UNKNOWN_NAME = "CS0007", "a name is not known",
        "The name of a component or of a choice is not one of the known ones. `clustersim list` shows them.";
    INCLUDE = "CS0009", "an include cannot be followed",
        "Each entry of `include` is the path of a scenario file, relative to the file it stands in; files may not \
         include each other in a circle. There are at most 256 of them, 32 deep, with 16 MiB together.";
    FILE = "CS0010", "a file cannot be read",
        "The file does not exist, is not a regular file, may not be read, is larger than is read, or is of another kind than the \
         command or key reads. Paths in a scenario are relative to the file they stand in.";
    OVERRIDE = "CS0011", "an override cannot be applied",
        "`--set` takes KEY=VALUE, where KEY is a path of keys with points between them and VALUE a TOML value; a \
         VALUE that is no TOML value is taken as a string. A number that a scenario cannot hold is refused.";
    BOUND = "CS0012", "an expectation cannot be read",
        "An entry of [expect] is the name of a metric and a bound: \"< 60\", \">= 0.5\", \"<= 2h\". The unit is that \
         of the metric; times without a unit are in seconds.";
    CONTRADICTION = "CS0013", "values contradict each other",
        "Each value is valid alone, but they cannot hold together.";
    LOG_FILTER = "CS0014", "CLUSTERSIM_LOG cannot be read",
        "CLUSTERSIM_LOG sets by module how much the simulator logs while it runs: levels (error, warn, info, \
         debug, trace), alone or as MODULE=LEVEL, with commas between them.";
    VARY = "CS0015", "an axis of a study cannot be read",
        "Each [[vary]] table is an axis: a key's path and the array of its values, \"policy.backfill\" = [\"none\", \
         \"easy\"]. Several keys of one table move together and have equally many values. The points of a study are \
         the product of its axes, in the order of the file.";
    POINT = "CS0016", "a point of a study is not there",
        "`--point` takes the number of a point, from 0; `--dry-run` lists the points of a study and their numbers.";
    JOB = "CS0017", "a job of the workload is not there",
        "`--explain` takes the number of a job as the workload has it: in a log the first field of its line, in jobs.csv the \
         column job_id. Jobs that were dropped when the log was read, or lie outside the chosen window, are not there.";
    COMPRESSED = "CS0020", "a compressed file is damaged",
        "The file ends before its compressed data does, or its checksum is wrong. Copy or download it again.";
    NOT_SWF = "CS0021", "a file is not in the Standard Workload Format",
        "A log in the Standard Workload Format is text: comment lines that start with `;` and lines of 18 numbers, \
         one job each (a few archives have up to 21).";
    SWF_FIELDS = "CS0022", "a job of the log has too few fields",
        "Each job is one line of 18 numbers with blanks between them; -1 stands for an unknown value.";
    SWF_NUMBER = "CS0023", "a field of the log is no number, or out of range",
        "Every field is a number. Submit, wait and run times are in seconds and fit into 584 years.";
    NO_JOBS = "CS0024", "the workload has no jobs",
        "Nothing is left to simulate: the log is empty, or every job was dropped or lies outside the chosen window.";
    NOT_JSON = "CS0025", "a line of a trace is not JSON",
        "A trace of tasks has a JSON object on each line, one job each: {\"arrival\": \"0s\", \"tasks\": 4, \"compute\": \
         \"5ms\"}. Keys and texts stand in double quotes; there are no comments and no `null`.";
    STEP = "CS0026", "a recorded step cannot be played",
        "The steps of a task are \"compute 5ms\", \"io 5ms\", \"send TASK SIZE\" and \"receive TASK\". Every message \
         that is sent must be received and vice versa, and no tasks may wait for each other in a circle.";
    NOT_SACCT = "CS0027", "a file is not an accounting dump of Slurm",
        "A dump is what `sacct --allusers --parsable2 --format=JobID,JobIDRaw,User,Group,Partition,QOS,Submit,Eligible,\
         Start,End,ElapsedRaw,Suspended,TimelimitRaw,State,AllocCPUS,ReqCPUS,AllocTRES,ReqTRES,Constraints` prints: a line of column \
         names with `|` between them, then a line a record. Columns may stand in any order; others are passed over.";
    SACCT_FIELD = "CS0028", "a field of an accounting dump cannot be read",
        "Times are written as 2026-03-01T12:00:00 or in Unix seconds, durations as D-HH:MM:SS, resources as \
         cpu=4,mem=16G,node=1,gres/gpu=2: as sacct prints them unless its formats are changed.";
    SLURM_CONF = "CS0029", "a slurm.conf cannot be read",
        "Nodes and partitions stand in lines of KEY=VALUE: NodeName=n[001-120] CPUs=64 RealMemory=256000, \
         PartitionName=batch Nodes=ALL MaxTime=2-00:00:00.";
    OUTPUT = "CS0030", "the results cannot be written",
        "The run directory cannot be created or written. Choose another with -o.";
    OCCUPIED = "CS0031", "the run directory is taken",
        "The directory exists and is not the result of this very run. Choose another with -o, or replace it with \
         --force.";
    MANIFEST = "CS0032", "a manifest cannot be replayed",
        "The manifest is damaged, of another version, or its inputs are no longer what they were.";
    FEATURE = "CS0033", "a file needs a feature, such as `parquet`, that this build was made without",
        "The program was built without a feature that the file needs. Releases have all features; from the sources, \
         `cargo install --locked --path . --features parquet` builds Parquet files in.";
    BATSIM = "CS0034", "a Batsim workload cannot be read",
        "A Batsim workload is a JSON object: {\"nb_res\": 4, \"jobs\": [{\"id\": 1, \"subtime\": 0, \"walltime\": 60, \"res\": 2, \
         \"profile\": \"p\"}], \"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 10}}}.";
    CONVERT = "CS0035", "a file cannot be converted",
        "`clustersim convert IN OUT` reads an accounting dump of Slurm, a slurm.conf, a Batsim workload or a log in the \
         Standard Workload Format, and writes a log (.swf, .swf.gz) or a scenario (.toml).";
    DEPENDENCY = "CS0036", "a table of dependencies cannot be read",
        "A table of dependencies is a CSV file whose first line is job,kind,on. Each other line holds one job back until \
         another has left: 7,after-any,5, or 7,after-ok,5 if that one must have ended by itself. Jobs are named by their numbers.";
    PLATFORM = "CS0037", "a platform or deployment file cannot be read",
        "A platform file of SimGrid is XML: <platform version=\"4.1\"> with <zone>, <host>, <link>, <route> and so on in it. A \
         deployment file has <actor> elements in their place.";
    WORKFLOW = "CS0038", "a task graph cannot be read",
        "A task graph is read from DAX (XML), YAML of Pegasus 5, WfFormat 1.0 to 1.6 (JSON), DOT, STG or the text that begins with DagDescription 1. \
         Each task has a name of its own and a cost, edges name tasks that are there, and no tasks wait for each other in a circle.";
    SWEEP = "CS0039", "a parameter sweep cannot be read",
        "An application of the Parameter Sweep Template is a text: WorkDescription 1 FILES TASKS, then lines such as \
         File: <0> <input> <1000> <1000> and Work: <0> < 1 : 0 > < 0 : > < 1 : 600 > < 1 : 610 >. A workflow is one if none of its \
         tasks waits for another.";
    NOTHING_JUDGED = "CS0040", "a run has no rules that can be checked",
        "`clustersim check DIR` asks the system of the run, which judges its files by the rules that its results keep. A \
         system of another crate has such rules if it says them (`System::judge`).";
    PROGRAM = "CS0041", "a scenario starts a program, which is forbidden",
        "A scenario may name programs that its runs start (`clustersim validate` names them). With --forbid-programs, or where the \
         environment variable CLUSTERSIM_FORBID_PROGRAMS is set and not 0, such a scenario is refused. `replay` of a transcript takes \
         the place of a program.";
    TABLE = "CS0042", "a table of jobs cannot be read",
        "A table has a row for each job, and [workload.columns] says which column states what, and in which unit: submit = \
         \"submit_time\", limit = { column = \"timelimit\", unit = \"min\" }. Nothing is guessed: a number that has no unit, an amount \
         that is not whole or a time that is in no form that is known is reported with its cell. Values that stand for unknown are \
         named by `none`.";
}

/// The code printed as `id`, in any case.
pub fn find(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_unique() {
        assert!(ALL.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert_eq!(find("cs0005"), Some(UNKNOWN_KEY));
        assert_eq!(find("CS9999"), None);
    }
}
