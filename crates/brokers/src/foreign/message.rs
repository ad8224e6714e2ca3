//! Questions to a foreign program about clients, servers, and the paths between them.

use crate::dialogue::hello;
use crate::dialogue::message::Message;
use crate::environment::Environment;
use crate::foreign::VERSION;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};

/// Adds the names of a path.
pub fn of_path(message: Message, path: Path, environment: &Environment) -> Message {
    let message = message.text("client", &environment.clients[path.client.index()]);
    of_server(message, path.server, environment).text("direction", path.direction.name())
}

/// Adds the name of a server.
pub(crate) fn of_server(message: Message, server: ServerNumber, environment: &Environment) -> Message {
    message.text("server", &environment.server(server).name)
}

/// The first question: the part that the program is, and its surroundings.
pub fn hello(
    part: &str,
    of_part: Option<(&str, bool)>,
    run: (u64, u64),
    environment: &Environment,
) -> String {
    let servers = environment.servers.iter().map(|server| {
        Message::new("name", &server.name)
            .number("performance", server.performance)
            .count("procs", server.processors.into())
    });
    let message = hello::hello(VERSION, part);
    let message = match of_part {
        Some((key, value)) => message.flag(key, value),
        None => message,
    };
    message
        .count("seed", run.0)
        .count("replication", run.1)
        .texts("clients", environment.clients.iter().map(|name| &**name))
        .messages("servers", servers)
        .line()
}

/// A measurement of a path.
pub fn put_network(path: Path, info: NetworkInfo, environment: &Environment) -> String {
    let message = Message::new("put", "network").time("time", info.time);
    of_path(message, path, environment)
        .number("bandwidth", info.bandwidth)
        .number("latency", info.latency)
        .line()
}

/// A measurement of a server.
pub fn put_server(server: ServerNumber, info: ServerInfo, environment: &Environment) -> String {
    let message = Message::new("put", "server").time("time", info.time);
    of_server(message, server, environment)
        .number("performance", info.performance)
        .number("load", info.load)
        .number("availability", info.availability)
        .flag("up", info.is_up)
        .line()
}
