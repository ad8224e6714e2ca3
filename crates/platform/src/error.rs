//! Mistakes in a part of a platform.

use crate::sharing::{LEAST, MOST};

/// Reason that a part is no part of a platform.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PlatformError {
    /// A name that another part has already.
    #[error("there are two of the name `{0}`")]
    Twice(String),
    /// A number that is none, or out of its range.
    #[error("the {what} of `{name}` is {value}: {expected} was expected")]
    Value {
        /// Of what.
        name: String,
        /// Name of the number.
        what: &'static str,
        /// Value.
        value: f64,
        /// Description of an admissible number.
        expected: &'static str,
    },
    /// A point that does not lie where it should.
    #[error("`{point}` does not lie in zone `{zone}`")]
    Elsewhere {
        /// The point.
        point: String,
        /// The zone in which it should lie.
        zone: String,
    },
    /// Zones of which neither should lie in the other.
    #[error("no route bypasses anything between zone `{0}` and zone `{1}`: one lies in the other")]
    OneInTheOther(String, String),
    /// The end of a route is a zone, and it is not said where in it.
    #[error("a route to or from zone `{0}` needs a gateway: a host or router in it")]
    NoGateway(String),
    /// A gateway is a zone, or is given for a host or router.
    #[error("`{0}` is no gateway: hosts and routers are gateways, and only zones have them")]
    NotAGateway(String),
    /// The zone has a routing that does not take this.
    #[error("zone `{zone}` has the routing {routing}, which takes no {what}")]
    Routing {
        /// Name of the zone.
        zone: String,
        /// Routing.
        routing: &'static str,
        /// The part that was put into it.
        what: &'static str,
    },
    /// A second route from one point to another.
    #[error("there are two routes from `{from}` to `{to}`")]
    TwoRoutes {
        /// Start of the route.
        from: String,
        /// End of the route.
        to: String,
    },
    /// The point has a spoke, coordinates or a backbone already.
    #[error("`{name}` has two {what}")]
    Two {
        /// The point or zone.
        name: String,
        /// The part of which it has two.
        what: &'static str,
    },
    /// Zones within zones within zones.
    #[error("zone `{0}` lies in more than 32 zones")]
    TooDeep(String),
    /// The topology of a cluster does not fit its hosts, or itself.
    #[error("cluster `{cluster}`: {problem}")]
    Shape {
        /// Name of the cluster.
        cluster: String,
        /// The mismatch.
        problem: String,
    },
}

/// Refuses a number that is not in the range of a rate.
pub(super) fn rate(name: &str, what: &'static str, value: f64) -> Result<(), PlatformError> {
    if value.abs() > 0.0 && !(LEAST..=MOST).contains(&value) || value.is_nan() {
        let expected = "0, or a number from 1e-6 to 1e18,";
        return Err(PlatformError::Value { name: name.to_owned(), what, value, expected });
    }
    Ok(())
}
