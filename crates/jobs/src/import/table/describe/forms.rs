//! Other forms of times than the common one, which texts are tried by.

/// Formats of strptime, the likelier ones first: of several that fit all values the first is meant.
pub(super) const FORMS: [&str; 14] = [
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y-%m-%d_%H:%M:%S",
    "%Y%m%dT%H%M%S",
    "%a %b %d %H:%M:%S %Y",
    "%d %b %Y %H:%M:%S",
    "%d-%b-%Y %H:%M:%S",
    "%Y-%m-%d",
];

/// The form that all texts of a column have, if one of these, and true if another fits as well.
pub(super) fn form_of(fitting: u32) -> Option<(&'static str, bool)> {
    let first = FORMS.iter().enumerate().find(|(bit, _)| fitting >> bit & 1 == 1)?;
    Some((first.1, fitting.count_ones() > 1))
}
