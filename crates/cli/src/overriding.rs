//! Flags that set keys of a scenario, of every command that simulates one.

use clap::Args as ClapArgs;

use crate::scenario::Override;

/// Values for keys of a scenario.
#[derive(Clone, Debug, ClapArgs)]
pub(super) struct Overriding {
    /// Set a key of the scenario; VALUE is a TOML value, else a string
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Root of the random streams
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: Option<u64>,
    /// Scheduling policy
    #[arg(long, value_name = "POLICY")]
    pub(super) policy: Option<String>,
}

impl Overriding {
    /// Flags that are short for a key.
    pub(super) fn flags(&self) -> impl Iterator<Item = Override> {
        let seed = self.seed.map(|seed| Override::flag("--seed", "seed", &seed.to_string()));
        let policy = self.policy.as_ref().map(|policy| Override::flag("--policy", "policy", policy));
        [seed, policy].into_iter().flatten()
    }

    /// Values of `--set`, which win over the other flags.
    pub(super) fn sets(&self) -> impl Iterator<Item = Override> {
        self.set.iter().map(|set| Override::set(set))
    }
}
