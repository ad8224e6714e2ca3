//! Tests of studies as a whole.

mod power_of_families;
