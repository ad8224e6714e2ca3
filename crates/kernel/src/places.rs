//! Pieces of memory that processes get: places, numbered in granules.
//!
//! A place belongs to a size class. A class takes regions of 64 KiB and cuts them from the bottom
//! up; places that are given back are used again, by the same class only, the last one first. So
//! what was once the beginning of a place is one for ever. This file only counts; the memory is the
//! executor's.

/// Granules in a chunk, the unit in which memory is allocated (1 MiB).
pub(super) const CHUNK: u32 = 1 << 16;
/// Granules in a region (64 KiB).
const REGION: u32 = 1 << 12;

/// The places of a store.
#[derive(Debug)]
pub(super) struct Places {
    /// Granules of all regions together.
    limit: u32,
    regions: Vec<Region>,
    /// By granules a place.
    classes: Vec<Class>,
}

#[derive(Clone, Debug, Default)]
struct Class {
    /// Places given back.
    free: Vec<u32>,
    /// The region that is being cut: next place, and end of the region.
    next: u32,
    end: u32,
}

/// A region that a class has begun to fill.
#[derive(Debug)]
struct Region {
    /// Granules a place.
    granules: u32,
    /// Places are cut below this number.
    end: u32,
}

/// A place, and whether it is handed out for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) slot: u32,
    pub(super) fresh: bool,
}

impl Places {
    /// No places yet; all regions together have `limit` granules at most.
    pub(super) fn up_to(limit: u32) -> Self {
        Places { limit, regions: Vec::new(), classes: Vec::new() }
    }

    /// A place of this many granules; `None` if no region is left for it.
    #[inline]
    pub(super) fn cut(&mut self, granules: u32) -> Option<Cut> {
        if let Some(class) = self.classes.get_mut(granules as usize)
            && let Some(slot) = class.free.pop()
        {
            return Some(Cut { slot, fresh: false });
        }
        self.cut_fresh(granules)
    }

    fn cut_fresh(&mut self, granules: u32) -> Option<Cut> {
        debug_assert!((1..=REGION).contains(&granules));
        if self.classes.len() <= granules as usize {
            self.classes.resize(granules as usize + 1, Class::default());
        }
        let class = &mut self.classes[granules as usize];
        if class.next + granules > class.end {
            let region = self.regions.len() as u32 * REGION;
            if region + REGION > self.limit {
                return None;
            }
            self.regions.push(Region { granules, end: region });
            (class.next, class.end) = (region, region + REGION);
        }
        let slot = class.next;
        class.next += granules;
        self.regions[(slot / REGION) as usize].end = class.next;
        Some(Cut { slot, fresh: true })
    }

    /// Returns true if this is the number of a place that was cut.
    pub(super) fn holds(&self, slot: u32) -> bool {
        let Some(region) = self.regions.get((slot / REGION) as usize) else { return false };
        slot < region.end && (slot % REGION).is_multiple_of(region.granules)
    }

    /// Takes a place back.
    #[inline]
    pub(super) fn reuse(&mut self, slot: u32) {
        let granules = self.regions[(slot / REGION) as usize].granules;
        self.classes[granules as usize].free.push(slot);
    }

    /// Every place that was cut, by number.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.regions).flat_map(|(number, region): (u32, &Region)| {
            (number * REGION..region.end).step_by(region.granules as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(places: &mut Places, granules: u32) -> Cut {
        places.cut(granules).expect("there is room")
    }

    #[test]
    fn places_of_a_class_follow_one_another_and_come_back_last_first() {
        let mut places = Places::up_to(1 << 20);
        let slots: Vec<u32> = (0..3).map(|_| cut(&mut places, 5).slot).collect();
        assert_eq!(slots, [0, 5, 10]);
        places.reuse(0);
        places.reuse(10);
        assert_eq!(cut(&mut places, 5), Cut { slot: 10, fresh: false });
        assert_eq!(cut(&mut places, 5), Cut { slot: 0, fresh: false });
        assert_eq!(cut(&mut places, 5), Cut { slot: 15, fresh: true });
    }

    #[test]
    fn every_class_fills_regions_of_its_own() {
        let mut places = Places::up_to(1 << 20);
        assert_eq!(cut(&mut places, 1).slot, 0);
        assert_eq!(cut(&mut places, 7).slot, REGION);
        let filled = (1..REGION / 7).map(|_| cut(&mut places, 7).slot).last();
        assert_eq!(filled, Some(REGION + (REGION / 7 - 1) * 7));
        assert_eq!(cut(&mut places, 7).slot, 2 * REGION);
    }

    #[test]
    fn only_beginnings_of_places_that_were_cut_are_places() {
        let mut places = Places::up_to(1 << 20);
        let (first, second) = (cut(&mut places, 6).slot, cut(&mut places, 6).slot);
        assert!(places.holds(first) && places.holds(second));
        assert!(!places.holds(first + 1), "inside a place");
        assert!(!places.holds(second + 6), "not cut yet");
        assert!(!places.holds(7 * REGION), "no such region");
        assert_eq!(places.all().collect::<Vec<_>>(), [first, second]);
    }

    #[test]
    fn no_place_is_cut_beyond_the_limit_and_one_that_was_given_back_still_is() {
        let mut places = Places::up_to(REGION);
        let first = cut(&mut places, REGION).slot;
        assert_eq!((places.cut(REGION), places.cut(1)), (None, None));
        places.reuse(first);
        assert_eq!(places.cut(REGION), Some(Cut { slot: first, fresh: false }));
    }
}
