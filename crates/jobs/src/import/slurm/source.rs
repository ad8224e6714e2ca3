//! Dumps as a source of jobs: the keys, and the site next to the dump.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::registry::Problem;
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Span, code, keys, reason};
use crate::text::{self, Mistakes};
use crate::units::calendar;
use crate::workload::log_source::{Format, Recorded, SHARED};
use crate::workload::source::Source;
use crate::workload::swf::{Log, Options};

use super::clock::SiteClock;
use super::conf::{self, Site};
use super::read::{self, Reading, Unit};
use super::unread::MOST_UNREAD;

const OWN: &[Key] = &keys! {
    "conf" Kind::Path, absent "[cluster] sets the size of the machine" =>
        "the site's slurm.conf: its nodes, and the limits of jobs that asked for no time", source "slurm.conf(5)";
    "count" Unit::CHOICES, or "processors" => "what a job takes of the machine";
    "resources" Kind::Choice(&[
        ("ignored", "processors alone, wherever they are"),
        ("allocated", "on each of its nodes the memory and GPUs that it had there, features, and nodes of its \
                       partition if `conf` has these"),
    ]), or "ignored" => "what a job asks of nodes beyond processors; `cluster.group` sets what these have";
    "attributes" Kind::Choice(&[
        ("ignored", "they are not"),
        ("kept", "account, quality of service, nodes, GPUs and energy, as far as the dump has columns of them"),
    ]), or "ignored" =>
        "whether jobs.csv has what the dump states of jobs beyond the schedule, for `record.classes` and \
         `workload.demand` too";
    "submitted" Kind::Choice(&[
        ("submit", "when its user submitted it"),
        ("eligible", "when it could start for the first time: dependencies, begin times and limits are over"),
    ]), or "submit" => "when a job counts as submitted";
    "utc-offset" Kind::Text, absent "+00:00, or as `timezone` says" =>
        "how far times without a zone are ahead of UTC";
    "timezone" Kind::Text, absent "times are ahead of UTC by `utc-offset` all year" =>
        "zone of times that state none, such as Europe/Paris, whose clock changes with summer time";
    "most-unread" Kind::Share(Bounds::Within(0.0, 1.0)), or_number MOST_UNREAD =>
        "share of the records that need not be readable: more is a mistake, and so is a cause that takes over a fifth \
         of a week, a partition or a group of users";
};

/// Dumps as a source of jobs.
pub const SLURM: Entry<dyn Source> = Entry::published(
    "slurm",
    "an accounting dump of Slurm, as sacct --parsable2 prints it, plain or gzip",
    "sacct(1) of Slurm 22.05 and 24.05",
    &Key::joined::<{ SHARED.len() + OWN.len() }>(&[SHARED, OWN]),
    |params| Ok(Box::new(Recorded::read(params, Box::new(Slurm::new(params)?))?)),
);

#[derive(Debug)]
struct Slurm {
    reading: Reading,
    conf: Option<(String, PathBuf, Span)>,
    /// Files that the configuration includes, once it was looked at.
    included: OnceLock<Vec<(String, PathBuf)>>,
}

impl Slurm {
    fn new(params: &Params<'_>) -> Result<Self, Complaint> {
        let clock = clock(params)?;
        let unit = params.read::<Unit>("count")?;
        let resources = params.pick("resources", &[("ignored", false), ("allocated", true)])?;
        if resources && unit == Unit::Nodes {
            let message = "what a job had of its nodes means nothing where nodes are given whole";
            let complaint = Complaint::new(code::CONTRADICTION, message, params.span("resources"));
            let complaint = complaint.note("jobs take nodes here", Some(params.span("count")));
            return Err(complaint.help("leave one of the two out"));
        }
        let eligible = params.pick("submitted", &[("submit", false), ("eligible", true)])?;
        let attributes = params.pick("attributes", &[("ignored", false), ("kept", true)])?;
        let conf = match params.read::<Option<String>>("conf")? {
            Some(written) => Some((written, params.path("conf")?, params.span("conf"))),
            None => None,
        };
        let most_unread = params.read("most-unread")?;
        Ok(Slurm {
            reading: Reading { clock, eligible, unit, resources, attributes, most_unread },
            conf,
            included: OnceLock::new(),
        })
    }

    fn site(&self) -> Result<Option<Site>, Problem> {
        let Some((written, path, at)) = &self.conf else { return Ok(None) };
        let site = match text::open(path) {
            Ok(file) => conf::read_at(file, path),
            Err(error) => Err(Problem::new(code::FILE, reason(&error))),
        };
        site.map(Some).map_err(|problem| Problem { companion: Some((written.clone(), *at)), ..problem })
    }
}

/// The clock of times that state no zone.
fn clock(params: &Params<'_>) -> Result<SiteClock, Complaint> {
    let offset: Option<String> = params.read("utc-offset")?;
    let zone: Option<String> = params.read("timezone")?;
    match (zone, offset) {
        (Some(_), Some(_)) => {
            let message = "a zone says itself how far its times are ahead of UTC";
            let complaint = Complaint::new(code::CONTRADICTION, message, params.span("utc-offset"));
            let complaint = complaint.note("the zone is named here", Some(params.span("timezone")));
            Err(complaint.help("leave one of the two out"))
        }
        (Some(zone), None) => SiteClock::parse(&zone).ok_or_else(|| {
            let message = format!("`{zone}` is no zone that is known");
            let complaint = Complaint::new(code::RANGE, message, params.span("timezone"));
            complaint.label("expected one such as \"Europe/Paris\"")
        }),
        (None, Some(offset)) => calendar::utc_offset(&offset).map(SiteClock::Fixed).ok_or_else(|| {
            let message = format!("`{offset}` is no offset from UTC");
            let complaint = Complaint::new(code::RANGE, message, params.span("utc-offset"));
            complaint.label("expected one such as \"+01:00\" or \"-05:30\"")
        }),
        (None, None) => Ok(SiteClock::Fixed(0)),
    }
}

impl Format for Slurm {
    fn read(&self, file: File, options: &Options) -> Result<Log, Mistakes<Problem>> {
        let site = self.site()?;
        Ok(read::read(file, &self.reading, site.as_ref(), options)?)
    }

    fn ending(&self) -> &'static str {
        ".txt"
    }

    fn lacks_machine(&self) -> &'static str {
        "a dump does not say it, and no `conf` is named"
    }

    fn companion(&self) -> Option<(&str, &Path)> {
        self.conf.as_ref().map(|(written, path, _)| (written.as_str(), path.as_path()))
    }

    fn included(&self) -> Vec<(&str, &Path)> {
        let found = self.included.get_or_init(|| {
            // a file that is wrong is reported when it is read
            let site = self.site().ok().flatten();
            let files = site.map(|site| site.included).unwrap_or_default();
            files.into_iter().map(|path| (path.display().to_string(), path)).collect()
        });
        found.iter().map(|(written, path)| (written.as_str(), path.as_path())).collect()
    }
}
