//! A storage that holds so many bytes: what lies in it, which tasks have room in it, and what is
//! removed when room is needed.
//!
//! Room is given to a task for all its inputs at once, before any of them is sent for it, and taken
//! back when its computation ends or the task leaves the cluster. The files of all tasks with room,
//! each counted once, never exceed the capacity. A transfer of one of them may remove files that no
//! such task needs, those first that were used least recently: without these there is room for it,
//! so it never waits for another task.
//!
//! Therefore no tasks wait for each other. A task with room gets its inputs, since links skip what
//! waits for room; it gets a processor, since a host takes tasks with room first; and its
//! computation gives the room back. While no task has room nothing is needed, and the next that is
//! queued has the whole storage, in which its inputs fit: it would not have been placed there
//! otherwise. Plans that follow each other take no room from the first task of a host where room is
//! short, so each of these starts, too.
//!
//! Inputs alone take room; outputs are on the disks of their hosts until they are sent.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::model::application::Sweep;
use crate::model::grid::ClusterNumber;
use crate::workflow::{FileNumber, TaskNumber};

/// A file that was removed from the storage of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FileRemoval {
    /// Instant.
    pub at: SimTime,
    /// Cluster of the storage.
    pub cluster: ClusterNumber,
    /// File that was removed.
    pub file: FileNumber,
}

/// Files by when they were last used.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentFiles {
    uses: u64,
    last: OrderedMap<FileNumber, u64>,
    order: OrderedMap<u64, FileNumber>,
}

impl RecentFiles {
    fn has(&self, file: FileNumber) -> bool {
        self.last.contains_key(&file)
    }

    /// Place among all uses of the last one of a file that is there.
    fn last_use(&self, file: FileNumber) -> Option<u64> {
        self.last.get(&file).copied()
    }

    /// A file is used now. Whether it is new.
    pub(crate) fn touch(&mut self, file: FileNumber) -> bool {
        self.uses += 1;
        let before = self.last.insert(file, self.uses);
        if let Some(before) = before {
            self.order.remove(&before);
        }
        self.order.insert(self.uses, file);
        before.is_none()
    }

    /// A file is gone. Whether it was there.
    pub(crate) fn forget(&mut self, file: FileNumber) -> bool {
        let before = self.last.remove(&file);
        before.is_some_and(|before| self.order.remove(&before).is_some())
    }

    /// The files, those that were not used for longest first.
    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = FileNumber> + '_ {
        self.order.values().copied()
    }
}

/// A storage with a limit.
#[derive(Clone, Debug)]
pub struct LimitedStorage {
    capacity: u64,
    /// Bytes of the files that are there or under way.
    used: u64,
    files: RecentFiles,
    /// The tasks that have room.
    tasks: OrderedSet<TaskNumber>,
    /// By how many of them each file is needed, or by its transfer.
    needed: OrderedMap<FileNumber, u32>,
    /// Bytes of these files.
    promised: u64,
    /// Number of times that these files have changed.
    changes: u64,
    /// The others that are there and take room, by when they were last used.
    removable: OrderedMap<u64, FileNumber>,
    is_short: bool,
}

impl LimitedStorage {
    /// An empty one.
    pub fn new(capacity: u64) -> Self {
        LimitedStorage {
            capacity,
            used: 0,
            files: RecentFiles::default(),
            tasks: OrderedSet::new(),
            needed: OrderedMap::new(),
            promised: 0,
            changes: 0,
            removable: OrderedMap::new(),
            is_short: false,
        }
    }

    /// The bytes that it holds at most.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Bytes of the files that are there or under way.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Returns true if a task had no room so far, or a file was removed.
    pub fn is_short(&self) -> bool {
        self.is_short
    }

    /// Number of times that the files have changed that tasks with room need. While they are the
    /// same, a task that could not get room cannot get it.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns true if a task has room.
    pub fn has_room(&self, task: TaskNumber) -> bool {
        self.tasks.contains(&task)
    }

    /// The tasks that have room.
    pub fn tasks(&self) -> impl Iterator<Item = TaskNumber> + '_ {
        self.tasks.iter().copied()
    }

    /// Returns true if a task with room needs a file.
    pub fn is_needed(&self, file: FileNumber) -> bool {
        self.needed.contains_key(&file)
    }

    /// The files that are there, those that were not used for longest first.
    pub(crate) fn files(&self) -> &RecentFiles {
        &self.files
    }

    fn need(&mut self, file: FileNumber, bytes: u64) {
        let count = self.needed.entry(file).or_default();
        *count += 1;
        if *count == 1 {
            self.promised += bytes;
            self.changes += 1;
            self.keep(file);
        }
    }

    fn need_no_more(&mut self, file: FileNumber, bytes: u64) {
        let Some(count) = self.needed.get_mut(&file) else { return };
        *count -= 1;
        if *count == 0 {
            self.needed.remove(&file);
            self.promised -= bytes;
            self.changes += 1;
            self.let_go(file, bytes);
        }
    }

    /// A file must not be removed.
    fn keep(&mut self, file: FileNumber) {
        if let Some(last) = self.files.last_use(file) {
            self.removable.remove(&last);
        }
    }

    /// A file may be removed, if it is there and not needed; what takes nothing makes no room.
    fn let_go(&mut self, file: FileNumber, bytes: u64) {
        if let Some(last) = self.files.last_use(file)
            && bytes > 0
            && !self.is_needed(file)
        {
            self.removable.insert(last, file);
        }
    }

    /// A file is used.
    fn touch(&mut self, file: FileNumber, bytes: u64) {
        self.keep(file);
        self.files.touch(file);
        self.let_go(file, bytes);
    }

    /// Gives a task room for all its inputs, if it is there. Whether the task has it now.
    pub(crate) fn give_room(&mut self, task: TaskNumber, sweep: &Sweep) -> bool {
        if self.has_room(task) {
            return true;
        }
        let inputs = &sweep.task(task).inputs;
        let further =
            inputs.iter().filter(|file| !self.is_needed(**file)).map(|file| sweep.file(*file).bytes);
        let promised = further.fold(self.promised, u64::saturating_add);
        if promised > self.capacity {
            self.is_short = true;
            return false;
        }
        inputs.iter().for_each(|file| self.need(*file, sweep.file(*file).bytes));
        self.tasks.insert(task)
    }

    /// Takes the room of a task back.
    pub(crate) fn take_room(&mut self, task: TaskNumber, sweep: &Sweep) {
        if self.tasks.remove(&task) {
            sweep.task(task).inputs.iter().for_each(|file| self.need_no_more(*file, sweep.file(*file).bytes));
        }
    }

    /// A task reads its inputs.
    pub(crate) fn read(&mut self, task: TaskNumber, sweep: &Sweep) {
        for file in &*sweep.task(task).inputs {
            if self.files.has(*file) {
                self.touch(*file, sweep.file(*file).bytes);
            }
        }
    }

    /// The transfer of a file begins that a task with room needs; the files that are removed for
    /// it.
    ///
    /// # Panics
    /// If no task with room needs the file.
    pub(crate) fn transfer_begins(&mut self, file: FileNumber, sweep: &Sweep) -> Vec<FileNumber> {
        assert!(self.is_needed(file), "a file is sent for tasks with room");
        let bytes = sweep.file(file).bytes;
        self.need(file, bytes);
        let mut removed = Vec::new();
        if self.files.has(file) {
            return removed;
        }
        let mut free = self.capacity - self.used;
        for &other in self.removable.values() {
            if free >= bytes {
                break;
            }
            free += sweep.file(other).bytes;
            removed.push(other);
        }
        removed.iter().for_each(|other| self.remove(*other, sweep));
        self.used += bytes;
        removed
    }

    /// Returns true if a file that is there can stay with all that is promised.
    pub(crate) fn can_keep(&self, file: FileNumber, sweep: &Sweep) -> bool {
        self.is_needed(file) || self.promised.saturating_add(sweep.file(file).bytes) <= self.capacity
    }

    /// A file that is there is sent to another cluster, and stays until that is over.
    pub(crate) fn sending_begins(&mut self, file: FileNumber, sweep: &Sweep) {
        self.need(file, sweep.file(file).bytes);
    }

    /// Ends the sending of a file to another cluster.
    pub(crate) fn sending_ends(&mut self, file: FileNumber, sweep: &Sweep) {
        self.need_no_more(file, sweep.file(file).bytes);
    }

    /// The transfer of a file is over, and the file is there if it `arrived`.
    pub(crate) fn transfer_ends(&mut self, file: FileNumber, arrived: bool, sweep: &Sweep) {
        let bytes = sweep.file(file).bytes;
        self.need_no_more(file, bytes);
        if arrived {
            self.touch(file, bytes);
        } else if !self.files.has(file) {
            self.used -= bytes;
        }
    }

    /// Removes a file that no task with room needs.
    pub(crate) fn remove(&mut self, file: FileNumber, sweep: &Sweep) {
        self.keep(file);
        if self.files.forget(file) {
            self.used -= sweep.file(file).bytes;
            self.is_short = true;
        }
    }
}

/// Files stored on each cluster.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredFiles {
    /// A bit a file, for each cluster.
    bits: Vec<Vec<u64>>,
}

impl StoredFiles {
    /// None yet.
    pub fn new(clusters: usize, files: usize) -> Self {
        StoredFiles { bits: vec![vec![0; files.div_ceil(64)]; clusters] }
    }

    /// Returns true if a file lies there.
    #[inline]
    pub fn is_stored(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        self.bits[cluster.index()][file.index() / 64] >> (file.index() % 64) & 1 == 1
    }

    /// Stores a file.
    pub fn store(&mut self, cluster: ClusterNumber, file: FileNumber) {
        self.bits[cluster.index()][file.index() / 64] |= 1 << (file.index() % 64);
    }

    /// Removes a file.
    pub fn remove(&mut self, cluster: ClusterNumber, file: FileNumber) {
        self.bits[cluster.index()][file.index() / 64] &= !(1 << (file.index() % 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sweep;

    const FILES: [FileNumber; 4] = [FileNumber(0), FileNumber(1), FileNumber(2), FileNumber(3)];

    fn send(storage: &mut LimitedStorage, file: FileNumber, sweep: &Sweep) -> Vec<FileNumber> {
        let removed = storage.transfer_begins(file, sweep);
        storage.transfer_ends(file, true, sweep);
        removed
    }

    #[test]
    fn room_is_for_all_inputs_at_once_and_shared_files_count_once() {
        let tasks: &[(&[u32], f64, u64)] = &[(&[0, 1], 1.0, 0), (&[0, 2], 1.0, 0), (&[3], 1.0, 0)];
        let sweep = sweep(&[40, 30, 30, 1], tasks);
        let mut storage = LimitedStorage::new(100);
        let [first, second, third] = [0, 1, 2].map(TaskNumber);
        assert!(storage.give_room(first, &sweep) && storage.give_room(second, &sweep));
        assert!(!storage.is_short());
        assert!(!storage.give_room(third, &sweep) && storage.is_short());
        storage.take_room(first, &sweep);
        assert!(storage.give_room(third, &sweep) && !storage.give_room(first, &sweep));
        assert!(storage.is_needed(FILES[0]) && !storage.is_needed(FILES[1]));
    }

    #[test]
    fn what_was_not_used_for_longest_is_removed_unless_it_is_needed() {
        let tasks: &[(&[u32], f64, u64)] = &[(&[0], 1.0, 0), (&[1], 1.0, 0), (&[2], 1.0, 0), (&[3], 1.0, 0)];
        let sweep = sweep(&[40, 30, 30, 50], tasks);
        let mut storage = LimitedStorage::new(100);
        for task in [0, 1, 2].map(TaskNumber) {
            assert!(storage.give_room(task, &sweep));
            assert_eq!(send(&mut storage, FILES[task.index()], &sweep), []);
            storage.take_room(task, &sweep);
        }
        assert_eq!(storage.used(), 100);
        // the first is read again, and the second is needed
        storage.read(TaskNumber(0), &sweep);
        assert!(storage.give_room(TaskNumber(1), &sweep) && storage.give_room(TaskNumber(3), &sweep));
        assert_eq!(send(&mut storage, FILES[3], &sweep), [FILES[2], FILES[0]]);
        assert_eq!(storage.used(), 80);
    }

    #[test]
    fn what_is_broken_off_gives_its_room_back() {
        let sweep = sweep(&[40], &[(&[0], 1.0, 0)]);
        let mut storage = LimitedStorage::new(40);
        assert!(storage.give_room(TaskNumber(0), &sweep));
        storage.transfer_begins(FILES[0], &sweep);
        storage.take_room(TaskNumber(0), &sweep);
        assert!(storage.is_needed(FILES[0]) && storage.used() == 40);
        storage.transfer_ends(FILES[0], false, &sweep);
        assert!(!storage.is_needed(FILES[0]) && storage.used() == 0);
    }
}
