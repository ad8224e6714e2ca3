//! What a backfilling rule is, as it says once.

/// Which starts a rule decides about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decides {
    /// None: no job overtakes.
    Nothing,
    /// Those of jobs behind a head that does not fit.
    Overtaking,
    /// All, that of the head included: no job starts unless the rule picks it.
    Everything,
}

/// What a rule does on nodes that have more than processors, where counting them does not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnNodes {
    /// No job overtakes.
    InOrder,
    /// A job that does not delay the head of the queue by the estimates overtakes: the published rule of EASY.
    BehindShadow,
}

/// What a rule is, said once before a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// Which starts it decides about.
    pub decides: Decides,
    /// Whether changes are reported to it ([`Backfill::note`](super::Backfill::note)).
    pub follows: bool,
    /// Whether it looks at the reservations of processors in its view: then no job that it picks delays one by the estimates.
    pub plans_around: bool,
    /// Whether every waiting job holds a reservation; how many could not be kept is then a metric
    /// ([`Picks::moved`](super::Picks::moved)).
    pub reserves_for_all: bool,
    /// What it does on nodes that have more than processors; `None`: it can only count.
    pub on_nodes: Option<OnNodes>,
}

impl Capabilities {
    /// A rule that is asked which jobs may overtake a head that does not fit, and keeps nothing.
    pub const PLAIN: Capabilities = Capabilities {
        decides: Decides::Overtaking,
        follows: false,
        plans_around: false,
        reserves_for_all: false,
        on_nodes: None,
    };
}
