//! Cores of one host that a task of several holds together.
//!
//! A group has a number behind those of all cores, in the order in which groups were asked for, so
//! a slot, a record or a plan names one core or several by one number. Numbers of groups say
//! nothing beyond the grid that gave them, and have no order that means anything.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::model::grid::Core;

/// The groups that were asked for.
#[derive(Debug, Default)]
pub(crate) struct CoreGroups {
    /// The number of the first one.
    first: u32,
    known: RefCell<Known>,
}

#[derive(Debug, Default)]
struct Known {
    numbers: OrderedMap<Rc<[Core]>, Core>,
    members: Vec<Rc<[Core]>>,
}

impl CoreGroups {
    /// None; their numbers begin behind so many cores.
    pub(crate) fn behind(cores: u32) -> Self {
        CoreGroups { first: cores, known: RefCell::default() }
    }

    /// The group of these cores, in whatever order they are given; a core by itself is no group.
    pub(crate) fn of(&self, cores: &[Core]) -> Core {
        let mut members = cores.to_vec();
        members.sort_unstable();
        members.dedup();
        if let [only] = members[..] {
            return only;
        }
        let known = &mut *self.known.borrow_mut();
        if let Some(number) = known.numbers.get(&members[..]) {
            return *number;
        }
        let (number, members) = (Core(self.first + known.members.len() as u32), Rc::from(members));
        known.members.push(Rc::clone(&members));
        known.numbers.insert(members, number);
        number
    }

    /// Returns true if this is the number of a group.
    pub(crate) fn know(&self, core: Core) -> bool {
        let place = core.0.checked_sub(self.first);
        place.is_some_and(|place| (place as usize) < self.known.borrow().members.len())
    }

    /// The cores of a group by number; `None` if this is a core.
    pub(crate) fn members(&self, core: Core) -> Option<Rc<[Core]>> {
        let place = core.0.checked_sub(self.first)?;
        Some(Rc::clone(&self.known.borrow().members[place as usize]))
    }
}
