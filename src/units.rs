//! Quantities as people write them: `"200us"`, `"2h30m"`, `"64 GiB"`, `"10Gbps"`, `"1.5Gf"`,
//! `"2%"`.

pub use clustersim_language::units::{BadQuantity, Bytes, Calendar, Flops, Power};
