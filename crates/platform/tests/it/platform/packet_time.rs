//! Transfers without sharing, in closed form: hop by hop as a whole, or in packets.
//!
//! *Store and forward*: each link of the route carries all of the transfer before the next one
//! begins. *Packets*: the size is split, and each packet goes hop by hop while others are before
//! and behind it. Links serve packets in order, so the k-th leaves a link one carrying time after
//! it has arrived and the one before it has left. Equal packets queue up at the slowest link only,
//! which gives their times at once; the last packet, which may be smaller, is followed along the
//! route.
//!
//! Over n links of equal bandwidth B and k packets of size p the time is the latencies and
//! (k + n - 1) p / B.

use clustersim_kernel::SimDuration;

/// A link on the route of a transfer by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PacketLink {
    /// Size per second, above 0.
    pub(super) bandwidth: f64,
    /// Seconds.
    pub(super) latency: f64,
}

/// How long it takes to carry `size` over `route` in packets of `packet` each, the last one being
/// what is left, rounded up to a nanosecond. One packet as large as `size` is store and forward.
/// Packets of 0 or less are taken as one.
///
/// # Complexity
/// O(n) for n links, however many packets.
pub(super) fn packet_time(route: &[PacketLink], size: f64, packet: f64) -> SimDuration {
    let packet = if packet > 0.0 { packet.min(size) } else { size };
    let packets = if packet > 0.0 { (size / packet).ceil().max(1.0) } else { 1.0 };
    let last = size - (packets - 1.0) * packet;
    // when the packet before the last leaves each link, and when the last one does
    let (mut passed, mut slowest, mut left) = (0.0, 0.0_f64, 0.0_f64);
    for link in route {
        let carrying = packet / link.bandwidth;
        slowest = slowest.max(carrying);
        passed += carrying;
        let free = if packets > 1.0 { passed + (packets - 2.0) * slowest } else { 0.0 };
        left = left.max(free) + last / link.bandwidth;
        // the next link has both a latency later
        passed += link.latency;
        left += link.latency;
    }
    SimDuration::ceil_secs(left)
}

/// How long it takes to carry `size` over `route` with each link carrying all of it before the next
/// one begins.
pub(super) fn store_and_forward_time(route: &[PacketLink], size: f64) -> SimDuration {
    packet_time(route, size, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(bandwidth: f64, latency: f64) -> PacketLink {
        PacketLink { bandwidth, latency }
    }

    /// 1 MB over two links of 1 MB/s: eleven times 100 KB, or twice all of it.
    #[test]
    fn packets_overlap_where_a_whole_transfer_does_not() {
        let route = [link(1e6, 0.0); 2];
        assert_eq!(packet_time(&route, 1e6, 1e5), SimDuration::from_millis(1_100));
        assert_eq!(packet_time(&route, 1e6, 1e6), SimDuration::from_secs(2));
        assert_eq!(store_and_forward_time(&route, 1e6), SimDuration::from_secs(2));
        assert_eq!(packet_time(&route, 0.0, 1e5), SimDuration::ZERO);
        assert_eq!(packet_time(&[], 1e6, 1e5), SimDuration::ZERO);
    }

    /// Every packet followed over every link.
    #[test]
    fn the_closed_form_is_what_following_each_packet_gives() {
        let routes: [&[PacketLink]; 4] = [
            &[link(4.0, 1.0), link(1.0, 0.5), link(2.0, 0.0)],
            &[link(1.0, 0.25), link(8.0, 0.0), link(0.5, 2.0), link(4.0, 0.0)],
            &[link(2.0, 0.0)],
            &[link(8.0, 0.0), link(4.0, 0.0), link(2.0, 0.5), link(1.0, 0.0)],
        ];
        for route in routes {
            for (size, packet) in [(16.0, 2.0), (17.0, 2.0), (5.0, 4.0), (3.0, 8.0), (16.5, 0.5)] {
                let mut free = vec![0.0_f64; route.len()];
                let (mut rest, mut end) = (size, 0.0);
                while rest > 0.0 {
                    let carried = f64::min(rest, packet);
                    rest -= carried;
                    end = 0.0;
                    for (link, free) in route.iter().zip(&mut free) {
                        *free = free.max(end) + carried / link.bandwidth;
                        end = *free + link.latency;
                    }
                }
                assert_eq!(
                    packet_time(route, size, packet),
                    SimDuration::ceil_secs(end),
                    "{route:?} {size} {packet}"
                );
            }
        }
    }
}
