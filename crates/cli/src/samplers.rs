//! `debug samplers`: the hash of what every sampler draws, as the built program draws it.

use crate::failure::Failure;
use crate::kernel::rng::render_golden_hashes;
use crate::print;

pub(super) fn samplers() -> Result<(), Failure> {
    print(&render_golden_hashes())
}
