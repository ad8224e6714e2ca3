//! Global computing as Bricks models it: clients call servers over networks that are queues, and a
//! scheduling unit decides which.

/// A task as a client describes it to the scheduler.
pub mod call {
    pub use clustersim_brokers::call::Call;
}

/// Duration of a task on a server: one answer for all who ask.
pub mod completion {
    pub use clustersim_brokers::completion::{Completion, Foresight, Lookahead, LostAt};
}

/// Curves: what a measured series is between its points, integrated and inverted exactly.
pub mod curve {
    pub use clustersim_brokers::curve::{Curve, CurveCursor, CurveError, Interpolation};
}

/// The resource database: what monitors measured.
pub mod database {
    pub use clustersim_brokers::database::ResourceDb;
}

/// The global computing environment: clients, servers, and the network between them.
pub mod environment {
    pub use clustersim_brokers::environment::{
        BrokerServer, DescribedQueue, Environment, QueueLayout, QueueNetwork,
    };
}

/// Foreign programs as parts of the scheduling unit.
pub mod foreign {
    /// A foreign program as a part of the scheduling unit: a live dialogue about the clients and
    /// servers of a run.
    pub mod program {
        pub use clustersim_brokers::foreign::program::ForeignProgram;
    }
}

/// Knowledge of the scheduling unit about networks and servers.
pub mod info {
    pub use clustersim_brokers::info::{
        ClientNumber, NetworkInfo, Path, PathDirection, SeriesKey, ServerInfo, ServerNumber,
    };
}

/// The load of a server: tasks of others.
pub mod load {
    pub use clustersim_brokers::load::ServerLoad;
}

/// Outages of a server: as a trace says, or as times to failures and of repairs are drawn.
pub mod outages {
    pub use clustersim_brokers::outages::{OutageChange, ServerFailures, ServerOutages};
}

/// Predictors: what networks and servers will be like, from what was measured.
pub mod predictor {
    pub use clustersim_brokers::predictor::{Predictor, PredictorKind};
}

/// Queues of a network, and what their bandwidth is made of.
pub mod queue {
    pub use clustersim_brokers::queue::{LoadedModel, PacketQueue, QueueModel, QueuedPacket};
}

/// Schedulers: which server a task is sent to.
pub mod scheduler {
    pub use clustersim_brokers::scheduler::BrokerScheduler;
}

/// Measured series in files: samples of a bandwidth, an availability or a load over time.
pub mod series {
    pub use clustersim_brokers::series::MeasuredSeries;
}

/// Stations: queues of networks and of servers, which are the same thing.
pub mod station {
    pub use clustersim_brokers::station::{
        Discipline, Extraneous, ExtraneousLaw, ExtraneousStreams, Failed, LookLimit, Rate, Served,
        ServiceSpan, Spread, StationCopy, StationDemand, StationTraffic, Usage,
    };

    /// A station with a process of its own, for work whose end is not known when it enters.
    pub mod served {
        pub use clustersim_brokers::station::served::StationTerms;
    }
}

/// Transfers: data in packets, of which one is outstanding.
pub mod transfer {
    pub use clustersim_brokers::transfer::{QueueRoute, TransferNumbers};
}

/// View of a scheduler: the task, the servers that may have it, and the predictions for them.
pub mod view {
    pub use clustersim_brokers::view::{PredictedTimes, ServerSelection, View};
}
