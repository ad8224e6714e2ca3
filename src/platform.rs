//! Platforms: hosts and links whose speed changes over time, and how tasks and flows share them.

pub use clustersim_platform::{
    BehindLink, Builder, Cluster, ClusterRouting, Course, DeclaredRoute, Disk, Dragonfly, Duplex, End, Ended,
    Errors, Factors, FatTree, Host, HostId, Law, Level, Link, Links, Model, NetPoint, NoRoute, Parallel,
    Platform, PlatformError, Request, Round, Route, RouteClasses, RouterId, Routing, Shape, Sharing, Spoke,
    Stretch, Symmetry, Tier, ToItself, Torus, Trace, TraceError, TransferId, Varying, ZoneId,
};

/// Platforms as grids of clusters, as parameter sweeps see them.
pub mod clustered {
    /// The grid: clusters behind one link each, a storage in each cluster, and hosts that compute.
    pub mod grid {
        pub use clustersim_platform::clustered::grid::{ClusterNumber, HostNumber, LinkNumber, OriginNumber};
    }
}

/// Networks as processes: transfers between hosts that take their time while others are in
/// progress.
pub mod network {
    pub use clustersim_platform::network::{
        Carrier, Flow, Network, Started, TransferClass, TransferFailed, TransferObserver, Transfers,
        Transport, Unloaded,
    };

    /// Background traffic: flows that no process waits for and that take bandwidth from the
    /// others.
    pub mod traffic {
        pub use clustersim_platform::network::traffic::Traffic;
    }
}

/// Platforms by chance: generators that draw hosts, routers and links from the streams of a seed.
pub mod random {
    pub use clustersim_platform::random::{Generator, Undrawable};
}

/// Sharing: how much each of several tasks or flows gets of a resource.
pub mod sharing {
    pub use clustersim_platform::sharing::{LinkId, OutOfRange, SharingPolicy};
}

/// Topology beyond the builder.
pub mod topology {
    pub use clustersim_platform::topology::DrawnBandwidths;
}
