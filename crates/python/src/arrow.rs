//! Tables for other programs of the same process, without a copy: the C data and stream interface
//! of Apache Arrow.
//!
//! A table is handed over as one batch, by itself or as the only one of a stream. A consumer moves
//! a structure out of its capsule, and calls `release` when done with it; a batch of a stream is
//! moved and released in the same manner. Each structure owns its parts through `private_data`, and
//! a batch counts as an owner of its table, so that buffers live as long as anything that points
//! into them. A category is a dictionary: its column has places of words, and the words are one
//! more array.
//!
//! Written by hand: the structures are three, and libraries that have them are a major version
//! behind each other most of the time.
//!
//! Source: arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html and
//! CDataInterface/PyCapsuleInterface.html.

#![expect(unsafe_code, reason = "structures with the layout of C are passed by their address")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use clustersim_experiment::output::{CellValues, Texts};

use crate::rows::{NamedColumn, TableRows};

/// Flag of a column whose cells may be empty.
const NULLABLE: i64 = 2;

/// `struct ArrowSchema`.
#[repr(C)]
pub(crate) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
pub(crate) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(crate) struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// Everything that a schema points to.
struct SchemaParts {
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut Schema>,
    dictionary: *mut Schema,
}

/// Everything that an array points to; its buffers are those of its table.
struct ArrayParts {
    _table: Arc<TableRows>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    dictionary: *mut Array,
}

/// The table of a stream, and if its batch is still to come.
struct Batches {
    table: Arc<TableRows>,
    is_to_come: bool,
}

// SAFETY: a structure is used by one thread at a time, whoever holds its capsule; it points to
// parts of its own and to a table of plain values, behind a count of references that threads may
// share
unsafe impl Send for Stream {}
// SAFETY: as of a stream
unsafe impl Send for Schema {}
// SAFETY: as of a stream
unsafe impl Send for Array {}

impl Stream {
    /// A whole table as one batch.
    pub(crate) fn of(table: Arc<TableRows>) -> Self {
        let batches = Box::new(Batches { table, is_to_come: true });
        Stream {
            get_schema: Some(get_schema),
            get_next: Some(get_next),
            get_last_error: Some(get_last_error),
            release: Some(release_stream),
            private_data: Box::into_raw(batches).cast(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // one that was moved out of its capsule has no `release` left
        if let Some(release) = self.release {
            // SAFETY: the stream was made by `Stream::of` and is not released yet
            unsafe { release(self) }
        }
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the schema was made by `Schema::new` and is not released yet
            unsafe { release(self) }
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the array was made by `Array::new` and is not released yet
            unsafe { release(self) }
        }
    }
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: callers pass a stream that is not released, and no two threads use one at once
    let table = unsafe { &*(*stream).private_data.cast::<Batches>() }.table.as_ref();
    // SAFETY: callers pass room for a schema
    unsafe { out.write(Schema::of(table)) };
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: as in `get_schema`
    let batches = unsafe { &mut *(*stream).private_data.cast::<Batches>() };
    let array = if std::mem::take(&mut batches.is_to_come) {
        Array::of(&batches.table)
    } else {
        // an array without `release` says that there are no more
        Array::nothing()
    };
    // SAFETY: callers pass room for an array
    unsafe { out.write(array) };
    0
}

unsafe extern "C" fn get_last_error(_stream: *mut Stream) -> *const c_char {
    // neither function fails
    null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: callers release a stream once; its batches came from a box
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Batches>()));
        (*stream).release = None;
    }
}

impl SchemaParts {
    fn none() -> Self {
        SchemaParts {
            name: CString::default(),
            metadata: Vec::new(),
            children: Vec::new(),
            dictionary: null_mut(),
        }
    }
}

impl Schema {
    /// The columns of a table.
    pub(crate) fn of(table: &TableRows) -> Self {
        let of_column = |column: &NamedColumn| {
            let values = &column.cells.values;
            let dictionary = match values {
                CellValues::Categories(..) => boxed(Schema::new(c"U", SchemaParts::none())),
                _ => null_mut(),
            };
            let name = CString::new(column.name.replace('\0', "")).unwrap_or_default();
            let parts = SchemaParts { name, metadata: metadata(column), children: Vec::new(), dictionary };
            boxed(Schema::new(format(values), parts))
        };
        let children = table.columns.iter().map(of_column).collect();
        Schema::new(c"+s", SchemaParts { children, ..SchemaParts::none() })
    }

    fn new(format: &'static CStr, parts: SchemaParts) -> Self {
        // nothing that parts point to moves with their box
        let mut parts = Box::new(parts);
        Schema {
            format: format.as_ptr(),
            name: parts.name.as_ptr(),
            metadata: if parts.metadata.is_empty() { null() } else { parts.metadata.as_ptr().cast() },
            flags: NULLABLE,
            n_children: count(parts.children.len()),
            children: parts.children.as_mut_ptr(),
            dictionary: parts.dictionary,
            release: Some(release_schema),
            private_data: Box::into_raw(parts).cast(),
        }
    }
}

impl Array {
    /// All rows of a table: an array of columns.
    pub(crate) fn of(table: &Arc<TableRows>) -> Self {
        let none = || ArrayParts {
            _table: Arc::clone(table),
            buffers: Vec::new(),
            children: Vec::new(),
            dictionary: null_mut(),
        };
        let of_column = |NamedColumn { cells, .. }: &NamedColumn| {
            let (buffers, dictionary): (Vec<*const c_void>, _) = match &cells.values {
                CellValues::Counts(values) => (vec![values.as_ptr().cast()], null_mut()),
                CellValues::Integers(values) | CellValues::Nanoseconds(values) => {
                    (vec![values.as_ptr().cast()], null_mut())
                }
                CellValues::Reals(values) => (vec![values.as_ptr().cast()], null_mut()),
                CellValues::Texts(texts) => (of_texts(texts).to_vec(), null_mut()),
                CellValues::Categories(places, words) => {
                    let buffers = [&[null()][..], &of_texts(words)].concat();
                    let words = Array::new(words.count(), 0, ArrayParts { buffers, ..none() });
                    (vec![places.as_ptr().cast()], boxed(words))
                }
            };
            let present = if cells.empty == 0 { null() } else { cells.present.as_ptr().cast() };
            let buffers = [&[present][..], &buffers].concat();
            boxed(Array::new(table.rows, cells.empty, ArrayParts { buffers, dictionary, ..none() }))
        };
        let children = table.columns.iter().map(of_column).collect();
        Array::new(table.rows, 0, ArrayParts { buffers: vec![null()], children, ..none() })
    }

    fn nothing() -> Self {
        Array {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }

    fn new(rows: usize, empty: usize, parts: ArrayParts) -> Self {
        let mut parts = Box::new(parts);
        Array {
            length: count(rows),
            null_count: count(empty),
            n_buffers: count(parts.buffers.len()),
            n_children: count(parts.children.len()),
            buffers: parts.buffers.as_mut_ptr(),
            children: parts.children.as_mut_ptr(),
            dictionary: parts.dictionary,
            release: Some(release_array),
            private_data: Box::into_raw(parts).cast(),
            ..Array::nothing()
        }
    }
}

/// The buffers of texts: their ends, and their bytes.
fn of_texts(texts: &Texts) -> [*const c_void; 2] {
    [texts.ends.as_ptr().cast(), texts.bytes.as_ptr().cast()]
}

/// The type of a column in the letters of the format.
fn format(values: &CellValues) -> &'static CStr {
    match values {
        CellValues::Counts(_) => c"L",
        CellValues::Integers(_) => c"l",
        CellValues::Nanoseconds(_) => c"tDn",
        CellValues::Reals(_) => c"g",
        CellValues::Texts(_) => c"U",
        CellValues::Categories(..) => c"i",
    }
}

/// Unit and meaning of a column: a number of pairs, then each key and value behind its length.
fn metadata(column: &NamedColumn) -> Vec<u8> {
    let pairs = [("unit", &column.unit), ("about", &column.about)];
    let length = |length: usize| i32::try_from(length).expect("it is a short text").to_ne_bytes();
    let mut bytes = length(pairs.len()).to_vec();
    for part in pairs.into_iter().flat_map(|(key, value)| [key, value.as_str()]) {
        bytes.extend(length(part.len()));
        bytes.extend(part.as_bytes());
    }
    bytes
}

fn count(number: usize) -> i64 {
    i64::try_from(number).expect("it is in memory")
}

fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: callers release a schema once, which came from `Schema::new`; children and dictionary
    // came from `boxed`, and one that was moved out of its place has no `release` left
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        let children = parts.children.iter().copied().chain([parts.dictionary]);
        children.filter(|child| !child.is_null()).for_each(|child| drop(Box::from_raw(child)));
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as in `release_schema`
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        let children = parts.children.iter().copied().chain([parts.dictionary]);
        children.filter(|child| !child.is_null()).for_each(|child| drop(Box::from_raw(child)));
        (*array).release = None;
    }
}
