//! Named random streams.
//!
//! Every entity that draws does so from its own stream, named after the entity and the purpose
//! (`"arrivals"`, `"service/node-3"`). The stream is a pure function of (root seed, replication,
//! name):
//!
//! 1. the name's UTF-8 bytes are hashed by 64-bit FNV-1a (G. Fowler, L. Noll and K.-P. Vo);
//! 2. seed, replication and that hash are absorbed, in this order, each by one round of the
//!    SplitMix64 finaliser (G. Steele, D. Lea, C. Flood, OOPSLA 2014, variant 13 of D. Stafford's
//!    mixers);
//! 3. four further SplitMix64 outputs are the state of a xoshiro256++ generator (D. Blackman, S.
//!    Vigna, ACM TOMS 47(4), 2021), here the one of `rand`, which is documented to keep its values.
//!
//! Nothing else enters: no count of streams made so far, no point of a study, no thread. So adding
//! or removing an entity, a node or a whole model moves no draw of any other, and all points of a
//! replication meet the same workload (common random numbers). Two names of one run get the same
//! state with probability 2^-64 a pair: 3e-8 for a run of a million streams. The algorithm is part
//! of the results: changing it changes [`SAMPLER_VERSION`](super::SAMPLER_VERSION).
//!
//! Draws are of `u64` and `u32`, never of `usize`, whose width differs between machines.

use std::convert::Infallible;
use std::fmt::{self, Write as _};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng, TryRng};

/// 2^64 divided by the golden ratio, the step of SplitMix64.
const GOLDEN_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The source of all streams of one run: root seed and replication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streams {
    root_seed: u64,
    replication: u64,
}

impl Streams {
    /// The streams of replication `replication` (from 0) under `root_seed`.
    pub const fn new(root_seed: u64, replication: u64) -> Self {
        Streams { root_seed, replication }
    }

    /// The root seed.
    pub const fn root_seed(&self) -> u64 {
        self.root_seed
    }

    /// The replication, from 0.
    pub const fn replication(&self) -> u64 {
        self.replication
    }

    /// The stream called `name`. Asked for twice, it starts twice from the same place.
    pub fn stream(&self, name: &str) -> Stream {
        self.seeded(Fnv1a::new().bytes(name.as_bytes()).0)
    }

    /// The stream of one entity of many, for instance `of("service", "node", 3)`.
    ///
    /// The same stream as `stream("service/node-3")`, without building the name.
    pub fn of(&self, purpose: &str, kind: &str, index: u64) -> Stream {
        let name = Fnv1a::new().bytes(purpose.as_bytes()).bytes(b"/").bytes(kind.as_bytes()).bytes(b"-");
        self.seeded(name.decimal(index).0)
    }

    /// Streams of one purpose, one for each key of whole numbers: for what is asked in any order
    /// and stored nowhere.
    pub fn keyed(&self, name: &str) -> KeyedStreams {
        KeyedStreams { state: self.state(Fnv1a::new().bytes(name.as_bytes()).0) }
    }

    /// As [`keyed`](Streams::keyed), under a name that is written and not kept.
    pub fn keyed_as(&self, name: fmt::Arguments<'_>) -> KeyedStreams {
        let mut hash = Fnv1a::new();
        hash.write_fmt(name).expect("hashing takes any text");
        KeyedStreams { state: self.state(hash.0) }
    }

    fn seeded(&self, name_hash: u64) -> Stream {
        Stream::seeded(self.state(name_hash))
    }

    fn state(&self, name_hash: u64) -> u64 {
        [self.root_seed, self.replication, name_hash].into_iter().fold(0, absorb)
    }
}

/// Streams of one purpose, each under a short key of whole numbers:
/// `streams.keyed("load/node-3").of(&[17])`.
///
/// A stream is a pure function of (root seed, replication, name, key): the three are absorbed once,
/// then the number of words of the key and each of its words, as the module says. No key gives the
/// stream that [`Streams::stream`] gives the name. Nothing is formatted or hashed letter by letter,
/// so that a stream and its first draw cost some 10 ns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct KeyedStreams {
    state: u64,
}

impl KeyedStreams {
    /// The stream under `key`. Asked for twice, it starts twice from the same place.
    #[inline]
    pub fn of(&self, key: &[u64]) -> Stream {
        let state = absorb(self.state, key.len() as u64);
        Stream::seeded(key.iter().copied().fold(state, absorb))
    }
}

/// Takes one more word into a state.
#[inline]
const fn absorb(state: u64, word: u64) -> u64 {
    mix((state ^ word).wrapping_add(GOLDEN_STEP))
}

/// One named sequence of random numbers, and how many were taken.
///
/// Not `Clone`: a copied stream would hand out the same numbers twice. Implements [`rand::Rng`], so
/// that every [`rand::distr::Distribution`] samples from it.
#[derive(Debug)]
pub struct Stream {
    generator: Xoshiro256PlusPlus,
    draws: u64,
}

impl Stream {
    #[inline]
    fn seeded(state: u64) -> Self {
        Stream { generator: Xoshiro256PlusPlus::seed_from_u64(state), draws: 0 }
    }

    /// A number in `[0, 1)`: one of the 2^53 equally spaced values. One draw.
    #[inline]
    pub fn uniform01(&mut self) -> f64 {
        unit(self)
    }

    /// A number in `(0, 1)`, both ends excluded: the centres of 2^52 equal cells, so that its
    /// logarithm is finite and negative. One draw.
    #[inline]
    pub fn open01(&mut self) -> f64 {
        open_unit(self)
    }

    /// A whole number below `bound`, each exactly equally likely. One draw, rarely more.
    ///
    /// # Panics
    /// If `bound` is 0: there is no such number.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        below(self, bound)
    }

    /// Draws of the generator so far, 64 bits each (32-bit draws count as one).
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// The numbers that this stream will give, without taking them: for a look at what is going to
    /// happen, never for something that happens in addition.
    #[must_use]
    pub fn ahead(&self) -> Stream {
        Stream { generator: self.generator.clone(), draws: self.draws }
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| (word >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.draws += 1;
        self.generator.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next_u64().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

/// A number in `[0, 1)` from the upper 53 bits of one draw.
#[inline]
pub(super) fn unit<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    const CELL: f64 = 1.0 / (1_u64 << 53) as f64;
    (rng.next_u64() >> 11) as f64 * CELL
}

/// A number in `(0, 1)` from the upper 52 bits of one draw.
#[inline]
pub(super) fn open_unit<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    const CELL: f64 = 1.0 / (1_u64 << 52) as f64;
    ((rng.next_u64() >> 12) as f64 + 0.5) * CELL
}

/// A whole number below `bound`, by multiplication with rejection (D. Lemire, ACM TOMACS 29(1),
/// 2019).
#[inline]
pub(super) fn below<R: Rng + ?Sized>(rng: &mut R, bound: u64) -> u64 {
    assert!(bound > 0, "no whole number is below zero");
    let mut product = u128::from(rng.next_u64()) * u128::from(bound);
    if (product as u64) < bound {
        let uneven = bound.wrapping_neg() % bound;
        while (product as u64) < uneven {
            product = u128::from(rng.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as u64
}

/// The finaliser of SplitMix64: a bijection of 64-bit words.
const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A running 64-bit FNV-1a hash.
#[derive(Clone, Copy)]
pub(super) struct Fnv1a(pub(super) u64);

impl Fnv1a {
    pub(super) const fn new() -> Self {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// The decimal digits of `number`, as `format!` would write them.
    fn decimal(self, mut number: u64) -> Self {
        let mut digits = [0_u8; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.bytes(&digits[first..])
    }
}

impl fmt::Write for Fnv1a {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        *self = self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_fnv1a() {
        assert_eq!(Fnv1a::new().bytes(b"").0, 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv1a::new().bytes(b"a").0, 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv1a::new().bytes(b"foobar").0, 0x8594_4171_f739_67e8);
    }

    #[test]
    fn an_indexed_stream_is_the_stream_of_its_written_name() {
        let streams = Streams::new(7, 2);
        for index in [0, 3, 10, 4_096, u64::MAX] {
            let written = streams.stream(&format!("service/node-{index}")).next_u64();
            assert_eq!(streams.of("service", "node", index).next_u64(), written);
        }
    }

    #[test]
    fn keyed_streams_differ_by_every_word_of_their_key_and_by_its_length() {
        let streams = Streams::new(7, 2).keyed("prediction");
        let keys: [&[u64]; 8] = [&[], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[0, 0, 0], &[u64::MAX]];
        let mut firsts: Vec<u64> = keys.iter().map(|key| streams.of(key).next_u64()).collect();
        firsts.push(Streams::new(7, 2).stream("prediction").next_u64());
        firsts.push(Streams::new(7, 1).keyed("prediction").of(&[]).next_u64());
        firsts.push(Streams::new(7, 2).keyed("predictions").of(&[]).next_u64());
        assert_eq!(firsts[1], streams.of(&[0]).next_u64());
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 11);
    }

    #[test]
    fn keyed_streams_are_even_and_neighbouring_keys_are_uncorrelated() {
        // as of named streams: 20,000 neighbours along each word; the mean of uniforms has a
        // standard deviation of 2.0e-3
        let streams = Streams::new(1, 0).keyed("prediction");
        for key in [|i: u64| [i, 3], |i: u64| [3, i], |i: u64| [i, i]] {
            let centred = |i| streams.of(&key(i)).uniform01() - 0.5;
            let (total, mean) = (0..20_000)
                .map(|i| (centred(i) * centred(i + 1), centred(i)))
                .fold((0.0, 0.0), |(total, mean), (product, one)| (total + product, mean + one));
            assert!((total / 20_000.0_f64).abs() < 4.0 * 5.9e-4, "{total}");
            assert!((mean / 20_000.0_f64).abs() < 4.0 * 2.0e-3, "{mean}");
        }
    }

    #[test]
    fn seed_replication_and_name_each_make_another_stream() {
        let first = |seed, replication, name: &str| Streams::new(seed, replication).stream(name).next_u64();
        let all = [first(1, 0, "a"), first(2, 0, "a"), first(1, 1, "a"), first(1, 0, "b"), first(0, 1, "a")];
        for (i, one) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|other| other != one));
        }
        assert_eq!(first(1, 0, "a"), first(1, 0, "a"));
    }

    #[test]
    fn a_hundred_thousand_streams_start_differently() {
        let streams = Streams::new(1, 0);
        let mut firsts: Vec<u64> =
            (0..100_000).map(|i| streams.of("service", "node", i).next_u64()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 100_000);
    }

    #[test]
    fn neighbouring_streams_are_uncorrelated() {
        // the mean product of centred uniforms of 20,000 neighbours: standard deviation
        // 1/12/sqrt(20000) = 5.9e-4
        let streams = Streams::new(1, 0);
        let centred = |i| streams.of("service", "node", i).uniform01() - 0.5;
        let total: f64 = (0..20_000).map(|i| centred(i) * centred(i + 1)).sum();
        assert!((total / 20_000.0).abs() < 4.0 * 5.9e-4);
    }

    #[test]
    fn draws_are_counted() {
        let mut stream = Streams::new(1, 0).stream("a");
        assert_eq!(stream.draws(), 0);
        stream.uniform01();
        stream.next_u32();
        stream.fill_bytes(&mut [0; 9]);
        assert_eq!(stream.draws(), 4);
    }

    #[test]
    fn bounded_draws_are_even_and_within_their_bound() {
        let mut stream = Streams::new(1, 0).stream("dice");
        let mut seen = [0_u32; 6];
        for _ in 0..60_000 {
            seen[stream.below(6) as usize] += 1;
        }
        // 10,000 each, standard deviation 91
        assert!(seen.iter().all(|&count| count.abs_diff(10_000) < 400), "{seen:?}");
        assert_eq!(stream.below(1), 0);
        let large = (1 << 63) + 1; // half of all words are rejected here
        assert!((0..100).all(|_| stream.below(large) < large));
    }

    #[test]
    fn the_open_interval_has_no_ends() {
        struct Fixed(u64);
        impl TryRng for Fixed {
            type Error = Infallible;
            fn try_next_u32(&mut self) -> Result<u32, Infallible> {
                Ok(self.0 as u32)
            }
            fn try_next_u64(&mut self) -> Result<u64, Infallible> {
                Ok(self.0)
            }
            fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
                bytes.fill(self.0 as u8);
                Ok(())
            }
        }
        assert!(open_unit(&mut Fixed(0)) > 0.0);
        assert!(open_unit(&mut Fixed(u64::MAX)) < 1.0);
        assert_eq!(unit(&mut Fixed(0)).to_bits(), 0);
        assert!(unit(&mut Fixed(u64::MAX)) < 1.0);
    }
}
