//! Spans of virtual time, and instants, as values of a scenario.

use crate::kernel::SimDuration;
use crate::registry::code;
use crate::registry::{Complaint, Node, Parameter};
use crate::units::{Moment, duration};

impl Parameter for SimDuration {
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        let Some(text) = node.as_text() else {
            let message = format!("expected a duration, found {}", node.type_name());
            return Err(Complaint::new(code::TYPE, message, node.span));
        };
        duration(text).map(SimDuration::from_nanos).map_err(|bad| {
            Complaint::new(code::QUANTITY, bad.problem, node.span).label(bad.expected).help(bad.help)
        })
    }
}

impl Parameter for Moment {
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        let Some(text) = node.as_text() else {
            let message = format!("expected a duration, a date or a weekday, found {}", node.type_name());
            return Err(Complaint::new(code::TYPE, message, node.span));
        };
        Moment::parse(text).map_err(|bad| {
            Complaint::new(code::QUANTITY, bad.problem, node.span).label(bad.expected).help(bad.help)
        })
    }
}

impl From<SimDuration> for Moment {
    fn from(span: SimDuration) -> Self {
        Moment::After(span.as_nanos())
    }
}
