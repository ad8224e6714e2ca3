//! Profiles: what a job of Batsim does, as far as detail `job` can express it.
//!
//! Expressed are delays, computing without communication (the slowest host counts, at the given
//! speed), and sequences of these. Names of kinds are those of Batsim 3 to 5.

use crate::collections::OrderedMap;
use crate::text::json::{Mistake, Next, Reader};

/// Greatest depth of sequences within sequences.
const DEEPEST: usize = 32;
/// Most work that is read [flop].
const MOST_WORK: f64 = 1e30;

/// Action of a job.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Profile {
    /// Waits so long [s].
    Delay(f64),
    /// Computes so much on every host \[flop\].
    ComputesEach(f64),
    /// Computes so much on all hosts together, each its share \[flop\].
    ComputesTogether(f64),
    /// Does these profiles one after another, so often.
    Sequence { repeat: f64, parts: Vec<u32> },
    /// Does what cannot be expressed.
    Other,
}

/// Reason that a profile has no run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unable {
    /// Communication, staging of data, or a kind that is not known.
    Inexpressible,
    /// Computation at a speed that nothing states.
    NoSpeed,
    /// A profile that is missing.
    Missing,
}

/// The value of the number that follows, which must be as `must` says.
pub(super) fn read_number<T>(
    reader: &mut Reader<'_>,
    (what, must): (&str, &str),
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Mistake> {
    let at = reader.place();
    let text = reader.number()?;
    let wrong = || {
        let width = usize::try_from(reader.end() - at).unwrap_or(usize::MAX);
        Mistake::new(at, width, format!("`{what}` must be {must}, but is {text}"))
    };
    read(&text).ok_or_else(wrong)
}

fn amount(reader: &mut Reader<'_>, what: &str) -> Result<f64, Mistake> {
    let lawful = |text: &str| text.parse().ok().filter(|value| (0.0..=MOST_WORK).contains(value));
    read_number(reader, (what, &format!("from 0 to {MOST_WORK:e}")), lawful)
}

/// Amounts of a profile: one for each host, or one number.
#[derive(Default)]
struct Amounts {
    listed: bool,
    largest: f64,
    sum: f64,
}

impl Amounts {
    fn read(reader: &mut Reader<'_>, what: &str) -> Result<Self, Mistake> {
        if reader.next_kind()? == Next::Array {
            let mut all = Amounts { listed: true, ..Amounts::default() };
            reader.array(|reader| {
                let one = amount(reader, what)?;
                all.largest = all.largest.max(one);
                all.sum += one;
                Ok(())
            })?;
            return Ok(all);
        }
        let one = amount(reader, what)?;
        Ok(Amounts { listed: false, largest: one, sum: one })
    }
}

impl Profile {
    /// Reads a profile; `place` gives the place of a profile's name.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        place: &mut impl FnMut(String) -> u32,
    ) -> Result<Self, Mistake> {
        let begin = reader.place();
        let (mut kind, mut delay, mut together) = (None, None, false);
        let (mut cpu, mut com) = (Amounts::default(), Amounts::default());
        let (mut repeat, mut parts) = (1.0, Vec::new());
        reader.object(|reader, key| {
            match key.name.as_str() {
                "type" => kind = Some(reader.string()?),
                "delay" => delay = Some(amount(reader, "delay")?),
                "cpu" => cpu = Amounts::read(reader, "cpu")?,
                "com" => com = Amounts::read(reader, "com")?,
                "generation_strategy" | "strategy" => {
                    together =
                        reader.string()?.to_ascii_lowercase().replace('_', "").contains("spreaduniformly");
                }
                "repeat" | "nb" => repeat = amount(reader, "repeat")?,
                "seq" => {
                    reader.array(|reader| {
                        parts.push(place(reader.string()?));
                        Ok(())
                    })?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let bad = |message: &str| Err(Mistake::new(begin, 1, message));
        let Some(kind) = kind else { return bad("the profile has no `type`") };
        // one word in many spellings
        let kind: String =
            kind.to_ascii_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
        Ok(match kind.as_str() {
            "delay" | "delayprofile" => match delay {
                Some(delay) => Profile::Delay(delay),
                None => return bad("the profile has no `delay`"),
            },
            "msgparhg"
            | "parallelhomogeneous"
            | "paralleltaskhomogeneousprofile"
            | "ptaskhomogeneous"
            | "msgparhgtot"
            | "parallelhomogeneoustotal"
            | "paralleltaskhomogeneoustotalprofile"
            | "msgpar"
            | "parallel"
            | "paralleltaskprofile"
            | "ptask" => {
                if com.sum > 0.0 {
                    Profile::Other
                } else if kind.contains("tot") || together {
                    Profile::ComputesTogether(cpu.sum)
                } else if cpu.listed
                    || !kind.contains("par")
                    || kind.contains("homogeneous")
                    || kind.contains("hg")
                {
                    Profile::ComputesEach(cpu.largest)
                } else {
                    Profile::ComputesEach(cpu.sum)
                }
            }
            "composed" | "sequentialcompositionprofile" | "sequentialcomposition" => {
                Profile::Sequence { repeat, parts }
            }
            _ => Profile::Other,
        })
    }
}

/// Durations of profiles for a job on so many hosts of this speed.
pub(super) struct Span<'a> {
    pub(super) profiles: &'a OrderedMap<u32, Profile>,
    pub(super) procs: u32,
    /// [flop/s]
    pub(super) speed: Option<f64>,
}

impl Span<'_> {
    /// The time of a profile [s].
    pub(super) fn of(&self, profile: u32) -> Result<f64, Unable> {
        self.within(profile, &mut 10_000, 0)
    }

    /// The same with so many profiles left to look at: sequences of sequences may double at every
    /// step.
    fn within(&self, profile: u32, left: &mut u32, depth: usize) -> Result<f64, Unable> {
        *left = left.checked_sub(1).filter(|_| depth < DEEPEST).ok_or(Unable::Inexpressible)?;
        let compute = |work: f64| match self.speed {
            Some(speed) => Ok(work / speed),
            None if work > 0.0 => Err(Unable::NoSpeed),
            None => Ok(0.0),
        };
        match self.profiles.get(&profile).ok_or(Unable::Missing)? {
            Profile::Delay(delay) => Ok(*delay),
            Profile::ComputesEach(work) => compute(*work),
            Profile::ComputesTogether(work) => compute(*work / f64::from(self.procs)),
            Profile::Sequence { repeat, parts } => {
                let mut whole = 0.0;
                for &part in parts {
                    whole += self.within(part, left, depth + 1)?;
                }
                Ok(whole * repeat)
            }
            Profile::Other => Err(Unable::Inexpressible),
        }
    }
}
