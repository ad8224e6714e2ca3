//! `debug samplers`: the hash of what every sampler draws, as the built program draws it.

use crate::cli::failure::Failure;
use crate::cli::print;
use crate::kernel::rng::render_golden_hashes;

pub(super) fn samplers() -> Result<(), Failure> {
    print(&render_golden_hashes())
}
