//! The executor: where futures live, how they are woken, and the loop that resumes them.
//!
//! This is the one file of the project with `unsafe` code. `docs/performance.md` has the
//! measurements that earn it. What it relies on, and where that is kept true:
//!
//! 1. *Store.* Processes live in chunks of memory that never move and are freed with the store. A
//!    place is cut once for a size class, begins with a [`Head`] that is written before the place
//!    is ever named, and is only reused for the same class; so the number of a place always leads
//!    to a valid head. Numbers come from [`Store::cut`] alone and reach other files only inside
//!    waits and tickets; those that come back from outside a run (a waker, a ticket) are checked by
//!    [`Places::holds`] before use.
//! 2. *Futures.* A future is written once into its place, polled there, and dropped there exactly
//!    once: by [`end`], which first clears the flag that says that it is alive. It never moves,
//!    which is what pinning asks for.
//! 3. *Ambient kernel.* `CURRENT` points to the kernel only inside [`Kernel::enter`], which borrows
//!    it, and is put back when that returns or unwinds. The schedule is reached through [`with`]
//!    alone, which only the kernel's own files can name. What they do in there is book-keeping on
//!    the schedule: it never calls [`with`] again, and no process code, foreign waker or destructor
//!    of a process runs meanwhile. Debug builds assert it.
//! 4. *Wakers.* One waker is lent to every process in turn and means the one that is running. A
//!    clone of it is a number and not a pointer: simulation, place and process. Cloning or dropping
//!    that does nothing, and waking it looks the process up, so that it may outlive process and
//!    simulation.

#![expect(unsafe_code, reason = "the storage of futures and their wakers; see the file's essay")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use super::core::{Caller, Core, Role, Started, Step};
use super::name::{Name, flag};
use super::places::{CHUNK, Cut, Places};

// ---- the store ----------------------------------------------------------------------------------

/// Places are numbered in granules.
#[repr(align(16))]
struct Granule(#[expect(dead_code, reason = "a granule is only ever a piece of memory")] [u8; 16]);

const GRANULE: usize = size_of::<Granule>();
/// Futures that need a larger place are boxed.
const LARGEST: usize = 16 * 1024;

type PollFn = unsafe fn(*mut u8, &mut Context<'_>) -> Poll<()>;

/// Functions of a future's type.
struct VTable {
    poll: PollFn,
    drop: unsafe fn(*mut u8),
}

/// The beginning of a place; the future follows.
#[repr(C, align(16))]
struct Head {
    vtable: Cell<&'static VTable>,
    /// The process's own wait record (see `core`).
    word: Cell<u64>,
    /// The process's number and flags (see `process::flag`); no flags while the place is free.
    id: Cell<u64>,
    /// Name: kind and index.
    name: Cell<(u32, u32)>,
}

impl Head {
    const fn empty(word: u64) -> Self {
        Head { vtable: Cell::new(&NOTHING), word: Cell::new(word), id: Cell::new(0), name: Cell::new((0, 0)) }
    }
}

const HEAD: usize = size_of::<Head>();

trait Body: Future<Output = ()> + Sized + 'static {
    const VTABLE: VTable = VTable {
        // SAFETY: called with the address of a live future of this type that never moves (1, 2)
        poll: |future, cx| unsafe { Pin::new_unchecked(&mut *future.cast::<Self>()).poll(cx) },
        // SAFETY: as above, and called once
        drop: |future| unsafe { std::ptr::drop_in_place(future.cast::<Self>()) },
    };
}

impl<F: Future<Output = ()> + 'static> Body for F {}

/// The place of a process before its first future and after its last.
static NOTHING: VTable = VTable { poll: |_, _| Poll::Pending, drop: |_| () };

/// Stands for the process that is running while none is.
struct Idle(Head);

// SAFETY: never written to: its word is neither free nor fired, all that `current` acts upon
unsafe impl Sync for Idle {}

static IDLE: Idle = Idle(Head::empty(1));

/// The memory of all processes of a simulation.
pub(super) struct Store {
    chunks: Vec<NonNull<Granule>>,
    pub(super) places: Places,
    /// The head of the process that is running.
    current: *const Head,
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK as usize * GRANULE, 64).expect("a megabyte, aligned to a cache line")
}

fn new_chunk() -> NonNull<Granule> {
    // SAFETY: the layout has a size
    let chunk = unsafe { alloc(chunk_layout()) };
    NonNull::new(chunk).unwrap_or_else(|| handle_alloc_error(chunk_layout())).cast()
}

impl Default for Store {
    fn default() -> Self {
        Store { chunks: Vec::new(), places: Places::up_to(super::core::TABLE), current: &raw const IDLE.0 }
    }
}

impl Store {
    /// A place for `size` bytes behind its head; `None` if there is no memory for it.
    pub(super) fn cut(&mut self, size: usize) -> Option<u32> {
        let Cut { slot, fresh } = self.places.cut((HEAD + size).div_ceil(GRANULE) as u32)?;
        if !fresh {
            return Some(slot);
        }
        if (slot / CHUNK) as usize == self.chunks.len() {
            self.chunks.push(new_chunk());
        }
        // SAFETY: the place lies inside a chunk of this store and is aligned to a granule
        unsafe { self.place(slot).cast::<Head>().write(Head::empty(0)) };
        Some(slot)
    }

    /// The beginning of a place. A head is aligned to a granule, and a place begins on one.
    #[inline]
    fn place(&self, slot: u32) -> *mut Granule {
        let chunk = self.chunks[(slot / CHUNK) as usize].as_ptr();
        // the offset is less than a chunk
        chunk.wrapping_add((slot % CHUNK) as usize)
    }

    /// The future in a place.
    #[inline]
    fn future(&self, slot: u32) -> *mut u8 {
        self.place(slot).wrapping_add(HEAD / GRANULE).cast()
    }

    /// The future of the process that is running.
    #[inline]
    fn current_future(&self) -> *mut u8 {
        self.current.wrapping_add(1).cast_mut().cast()
    }

    #[inline]
    fn head(&self, slot: u32) -> &Head {
        debug_assert!(self.places.holds(slot), "{slot} is not the place of a process");
        // SAFETY: rule 1: a number that exists leads to a head, and heads are only ever shared
        unsafe { &*self.place(slot).cast::<Head>() }
    }

    /// Makes the process at this place the one that is running; gives its number and flags.
    #[inline]
    pub(super) fn make_current(&mut self, slot: u32) -> u64 {
        self.current = self.place(slot).cast();
        self.current_id()
    }

    /// If the wait record in the process at this place is in state `expected`, puts it in state
    /// `next` and makes the process the one that is running; gives its number and flags.
    #[inline]
    pub(super) fn claim(&mut self, slot: u32, expected: u64, next: u64) -> Option<u64> {
        let place = self.place(slot);
        let head = self.head(slot);
        if head.word.get() != expected {
            return None;
        }
        head.word.set(next);
        let id = head.id.get();
        self.current = place.cast();
        Some(id)
    }

    /// Puts the wait record at this place in state `next` if it is in state `expected`.
    #[inline]
    pub(super) fn exchange(&self, slot: u32, expected: u64, next: u64) -> bool {
        let head = self.head(slot);
        let found = head.word.get() == expected;
        if found {
            head.word.set(next);
        }
        found
    }

    /// The wait record of the process that is running, or ran last.
    #[inline]
    pub(super) fn current_word(&self) -> u64 {
        self.current().word.get()
    }

    #[inline]
    pub(super) fn set_current_word(&self, word: u64) {
        self.current().word.set(word);
    }

    /// Returns true if the process that is running is alive and its wait record is its own affair.
    #[inline]
    pub(super) fn current_is_plain(&self) -> bool {
        self.current_id() & (flag::ALIVE | flag::REDIRECT) == flag::ALIVE
    }

    /// Number and flags of the process that is running, or ran last.
    #[inline]
    pub(super) fn current_id(&self) -> u64 {
        self.current().id.get()
    }

    #[inline]
    fn current(&self) -> &Head {
        // SAFETY: rule 1: a head of this store, or the one that stands for none
        unsafe { &*self.current }
    }

    #[inline]
    pub(super) fn word(&self, slot: u32) -> u64 {
        self.head(slot).word.get()
    }

    #[inline]
    pub(super) fn set_word(&self, slot: u32, word: u64) {
        self.head(slot).word.set(word);
    }

    #[inline]
    pub(super) fn id(&self, slot: u32) -> u64 {
        self.head(slot).id.get()
    }

    #[inline]
    pub(super) fn set_id(&self, slot: u32, id: u64) {
        self.head(slot).id.set(id);
    }

    pub(super) fn name(&self, slot: u32) -> (u32, u32) {
        self.head(slot).name.get()
    }

    pub(super) fn enter(&self, slot: u32, id: u64, name: (u32, u32), word: u64) {
        let head = self.head(slot);
        head.word.set(word);
        head.id.set(id);
        head.name.set(name);
    }

    /// Takes the process out of its place; gives its number and flags, and the state of its wait.
    #[inline]
    pub(super) fn leave(&self, slot: u32) -> (u64, u64) {
        let head = self.head(slot);
        let id = head.id.get();
        head.id.set(id & flag::REDIRECT);
        (id, head.word.get())
    }

    /// Brings the beginning of a process into the cache.
    #[inline]
    pub(super) fn prefetch(&self, slot: u32) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: prefetching has no effect on memory, whatever the address
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.place(slot).cast());
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = slot;
    }

    /// Every process alive, in order of creation.
    pub(super) fn alive(&self) -> Vec<u32> {
        let mut slots: Vec<u32> =
            self.places.all().filter(|&slot| self.id(slot) & flag::ALIVE != 0).collect();
        slots.sort_unstable_by_key(|&slot| self.id(slot) >> flag::BITS);
        slots
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            // SAFETY: allocated with this layout; what is in it holds no process any more
            unsafe { dealloc(chunk.as_ptr().cast(), chunk_layout()) };
        }
    }
}

// ---- wakers -------------------------------------------------------------------------------------

const _: () = assert!(usize::BITS == 64, "the waker packs its target into one pointer-sized number");

static WAKER: RawWakerVTable = RawWakerVTable::new(|data| RawWaker::new(data, &WAKER), wake, wake, |_| ());

/// Simulation (20 bits), place (27 bits) and process (17 bits).
fn waker_data(simulation: u32, slot: u32, id: u64) -> *const () {
    let simulation = u64::from(simulation) << 44 & 0xFFFF_F000_0000_0000;
    let data = simulation | u64::from(slot) << 17 | (id >> flag::BITS & 0x1_FFFF);
    std::ptr::without_provenance(data as usize)
}

/// The waker lent to whichever process is running. It names none: a clone of it does.
static LENT: RawWakerVTable = RawWakerVTable::new(
    |_| {
        let data = with_if_running(|core, _| Some(core.current_waker_data()));
        RawWaker::new(data.unwrap_or(std::ptr::null()), &WAKER)
    },
    wake_current,
    wake_current,
    |_| (),
);

fn wake_current(_: *const ()) {
    with_if_running(|core, _| {
        core.wake(core.current);
        None::<()>
    });
}

impl Core {
    /// Returns true if a waker is the one lent to the process that is running.
    #[inline]
    pub(super) fn lent(waker: &Waker) -> bool {
        std::ptr::eq(waker.vtable(), &raw const LENT)
    }

    /// The data of a waker that resumes the process that is running.
    pub(super) fn current_waker_data(&self) -> *const () {
        waker_data(self.simulation, self.current & (super::core::TABLE - 1), self.store.current_id())
    }
}

impl Caller {
    /// A waker that resumes the caller, given the data of one that resumes the running process.
    pub(super) fn into_waker(self, data: *const ()) -> Waker {
        match self {
            // SAFETY: the functions of `WAKER` keep the promises of a raw waker for any data
            Caller::Process(_) => unsafe { Waker::new(data, &WAKER) },
            Caller::Foreign(waker) => waker,
        }
    }
}

/// A combinator, or the model itself, wakes a process.
fn wake(data: *const ()) {
    with_if_running(|core, simulation| {
        let slot = (data.addr() >> 17) as u32 & (super::core::TABLE - 1);
        if core.store.places.holds(slot) && waker_data(simulation, slot, core.store.id(slot)) == data {
            core.wake(slot);
        }
        None::<()>
    });
}

// ---- the ambient kernel -------------------------------------------------------------------------

/// The state of one simulation.
pub(super) struct Kernel {
    core: UnsafeCell<Core>,
    simulation: u32,
    /// True if the schedule is borrowed; debug builds check rule 3 with it.
    borrowed: Cell<bool>,
}

thread_local! {
    static CURRENT: Cell<Option<NonNull<Kernel>>> = const { Cell::new(None) };
}

/// Does something to the schedule of the simulation that runs on this thread. `act` is code of the
/// kernel that calls nothing outside it (rule 3).
///
/// # Panics
/// Outside a simulation.
#[expect(clippy::inline_always, reason = "on every path; what is done inside is a few instructions")]
#[inline(always)]
pub(super) fn with<R>(act: impl FnOnce(&mut Core, u32) -> R) -> R {
    let Some(kernel) = CURRENT.get() else { no_simulation() };
    // SAFETY: rule 3: the pointer is set only while the kernel is borrowed by `enter`
    unsafe { kernel.as_ref() }.with(act)
}

#[cold]
#[inline(never)]
fn no_simulation() -> ! {
    panic!("called outside a simulation (see Simulation::enter)");
}

/// As [`with`], for destructors and wakers, which may run when there is no simulation any more.
#[expect(clippy::inline_always, reason = "as `with`")]
#[inline(always)]
pub(super) fn with_if_running<R>(act: impl FnOnce(&mut Core, u32) -> Option<R>) -> Option<R> {
    CURRENT.get()?;
    with(act)
}

fn with_lent_waker<R>(act: impl FnOnce(&mut Context<'_>) -> R) -> R {
    // SAFETY: the functions of `LENT` keep the promises of a raw waker; dropping it does nothing
    let waker = ManuallyDrop::new(unsafe { Waker::new(std::ptr::null(), &LENT) });
    act(&mut Context::from_waker(&waker))
}

impl Kernel {
    pub(super) fn new(core: Core, simulation: u32) -> Self {
        Kernel { core: UnsafeCell::new(core), simulation, borrowed: Cell::new(false) }
    }

    /// See [`with`].
    #[expect(clippy::inline_always, reason = "as the function `with`")]
    #[inline(always)]
    pub(super) fn with<R>(&self, act: impl FnOnce(&mut Core, u32) -> R) -> R {
        debug_assert!(!self.borrowed.replace(true), "the kernel was entered twice");
        // SAFETY: rule 3: `act` never leads here again, so this is the only reference
        let result = act(unsafe { &mut *self.core.get() }, self.simulation);
        debug_assert!(self.borrowed.replace(false));
        result
    }

    /// Makes this kernel the ambient one while `act` runs. Simulations may be nested.
    pub(super) fn enter<R>(&self, act: impl FnOnce() -> R) -> R {
        struct Restore(Option<NonNull<Kernel>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _restore = Restore(CURRENT.replace(Some(NonNull::from(self))));
        act()
    }

    /// Resumes processes until nothing more fires before the limit.
    pub(super) fn run(&self) -> Step {
        self.enter(|| {
            with_lent_waker(|context| {
                loop {
                    match self.with(|core, _| core.next()) {
                        Step::Poll(slot) => self.poll(slot, context),
                        Step::Wake => self.wake_foreign(context),
                        end => {
                            self.with(|core, _| core.current = u32::MAX);
                            return end;
                        }
                    }
                }
            })
        })
    }

    /// Resumes the process at this place, which is `current`.
    #[inline]
    fn poll(&self, slot: u32, context: &mut Context<'_>) {
        let (poll, future) = self.with(|core, _| {
            let head = core.store.current();
            let id = head.id.get();
            if id & flag::WOKEN != 0 {
                head.id.set(id & !flag::WOKEN);
            }
            (head.vtable.get().poll, core.store.current_future())
        });
        // SAFETY: rule 2: the process is alive, and nothing else polls or drops it now
        let done = unsafe { poll(future, context) }.is_ready();
        let killed = self.with(|core, _| core.store.current_id() & flag::KILLED != 0);
        if done || killed {
            self.finish(slot, !done);
        }
    }

    /// The process at this place, which is `current`, came to its end.
    #[inline(never)]
    fn finish(&self, slot: u32, killed: bool) {
        let (drop, future) = self.with(|core, _| {
            core.current = u32::MAX;
            let head = core.store.current();
            head.id.set(head.id.get() | flag::ENDING);
            (head.vtable.replace(&NOTHING).drop, core.store.current_future())
        });
        // SAFETY: rule 2: the process ran until now, and its table is gone, so this happens once
        unsafe { drop(future) };
        self.with(|core, _| core.leave(slot, killed));
    }

    #[cold]
    fn wake_foreign(&self, context: &mut Context<'_>) {
        let waker = self.with(|core, _| {
            core.woken = Some(Vec::new());
            core.current = u32::MAX;
            core.to_wake.take()
        });
        let Some((waker, kind)) = waker else { return };
        waker.wake();
        let woken = self.with(|core, _| core.woken.take()).unwrap_or_default();
        for slot in woken {
            if self.with(|core, _| core.resume_woken(slot, kind)) {
                self.poll(slot, context);
            }
        }
    }

    /// Polls a process although nothing is over for it, so that its waits report their causes.
    pub(super) fn ask(&self, slot: u32) -> Vec<String> {
        self.with(|core, _| {
            core.report = Some(Vec::new());
            core.current = slot;
            core.store.make_current(slot);
        });
        with_lent_waker(|context| self.poll(slot, context));
        self.with(|core, _| {
            core.current = u32::MAX;
            core.report.take().unwrap_or_default()
        })
    }
}

/// Rounds at the end of a run that drop the processes spawned by destructors of others.
const LAST_ROUNDS: u32 = 16;

impl Drop for Kernel {
    /// Drops the processes, in order of creation, while the kernel still answers.
    fn drop(&mut self) {
        // a panic may have left either in any state
        self.borrowed.set(false);
        self.enter(|| {
            self.with(|core, _| core.ending = true);
            // what a destructor spawns is dropped too; one that spawns its like for ever is left
            for _ in 0..LAST_ROUNDS {
                let slots = self.with(|core, _| core.store.alive());
                if slots.is_empty() {
                    break;
                }
                // a process that panicked is still `current`: its future is not touched again
                slots.into_iter().for_each(|slot| end(slot, true));
            }
        });
    }
}

// ---- the life of a process ----------------------------------------------------------------------

/// Starts a process. One that cannot be started has a number of its own, as if it had ended.
pub(super) fn spawn(name: Name, role: Role, body: impl Future<Output = ()> + 'static) -> Started {
    fn place<F: Body>(name: Name, role: Role, future: F) -> Started {
        let future = ManuallyDrop::new(future);
        let placed = with(|core, simulation| {
            let slot = core.place(size_of::<F>()).ok_or(simulation)?;
            core.store.head(slot).vtable.set(&F::VTABLE);
            // SAFETY: the place is new or empty, large enough and aligned; the original is
            // forgotten
            unsafe {
                let place = core.store.future(slot);
                std::ptr::copy_nonoverlapping((&raw const future).cast::<u8>(), place, size_of::<F>());
            }
            Ok(Started { slot, simulation, number: core.enrol(slot, name, role) })
        });
        placed.unwrap_or_else(|simulation| {
            // dropped outside the kernel, which its destructors may call
            drop(ManuallyDrop::into_inner(future));
            Started { slot: 0, simulation, number: u64::MAX }
        })
    }
    if size_of_val(&body) + HEAD > LARGEST || align_of_val(&body) > GRANULE {
        place(name, role, Box::pin(body))
    } else {
        place(name, role, body)
    }
}

pub(super) fn kill(slot: u32) {
    let running = with(|core, _| core.current == slot);
    if running {
        with(|core, _| core.store.set_id(slot, core.store.id(slot) | flag::KILLED));
    } else {
        end(slot, true);
    }
}

/// Drops the future of a process and books its end.
fn end(slot: u32, killed: bool) {
    let found = with(|core, _| {
        let running = core.current == slot;
        let head = core.store.head(slot);
        let id = head.id.get();
        // a process that is being dropped is not there to be dropped again
        let there = id & (flag::ALIVE | flag::ENDING) == flag::ALIVE && !running;
        there.then(|| {
            head.id.set(id | flag::ENDING);
            (head.vtable.replace(&NOTHING).drop, core.store.future(slot))
        })
    });
    let Some((drop, future)) = found else { return };
    // SAFETY: rule 2: the process was alive and not running, and its table is gone now, so once
    unsafe { drop(future) };
    with(|core, _| core.leave(slot, killed));
}
