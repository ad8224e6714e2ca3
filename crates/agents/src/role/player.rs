//! A token game: a player that has a token works on it, and passes it to another drawn at random,
//! until it has been passed often enough.
//!
//! The players of a scenario share a number of tokens, which the first of them have at the start. A
//! token that was passed `passes` times goes to the first player, which puts it away; when it has
//! all of them it sends word around, from each player to the next, that the game is over. Tokens
//! are sent whether or not they are waited for, so that no sender keeps another from sending.

use async_trait::async_trait;

use super::demand::{Demand, data, work};
use super::{Assignment, Deployment, Role, TaskCount};
use crate::kernel::rng::Stream;
use crate::kernel::stream;
use crate::platform::Platform;
use crate::registry::{Entry, Kind, entry, named_keys};
use crate::{Agent, AgentError, Behaviour, Channel, Task};

named_keys! {
    TOKENS = "tokens" Kind::Count { least: 1, most: u32::MAX as u64 }, or_count 1 =>
        "how many tokens there are; at the start the first players have them, one or more each";
}

pub(super) const ENTRY: Entry<dyn Role> = entry! {
    "token-player" =>
        "works on the tokens that it gets and passes each to another agent of this role, drawn at random",
    keys {
        ..TOKENS;
        "passes" Kind::Count { least: 1, most: u32::MAX as u64 }, or_count 100 =>
            "how often each token is passed";
        ..data("data", "1kB", "what is sent with a token");
        ..work("work", "1Mf", "what a player computes with a token before it passes it");
    },
    reads |params| {
        let (tokens, passes) = (params.read(TOKENS.name)?, params.read("passes")?);
        Player { tokens, passes, demand: Demand::read(params, "")? }
    }
};

#[derive(Clone, Copy, Debug)]
struct Player {
    tokens: u32,
    passes: u32,
    demand: Demand,
}

/// Message from player to player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    /// A token that is still to be passed so often.
    Token(u32),
    /// A token that has been passed often enough.
    Done,
    /// The game is over.
    Over,
}

#[derive(Debug)]
struct Playing {
    rule: Player,
    assignment: Assignment,
}

/// The channel of the player at this index in the deployment.
fn channel(index: usize) -> Channel {
    Channel(index as u32)
}

impl Role for Player {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    /// The players of a scenario share the tokens.
    fn tasks(&self, _: &Deployment, _: u64) -> Option<TaskCount> {
        let tokens = u64::from(self.tokens);
        Some(TaskCount {
            key: TOKENS.name,
            computed: tokens.saturating_mul(self.passes.into()),
            ahead: tokens,
        })
    }

    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        // to the others it may send, these it has to
        let peers = assignment.peers();
        let certain = [peers[0], peers[(assignment.rank() + 1) % peers.len()]];
        assignment.reaches(platform, certain.map(|index| assignment.deployment.host(index)))?;
        Ok(Box::new(Playing { rule: *self, assignment: assignment.clone() }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Playing {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Player { tokens, passes, demand: Demand { work, .. } } = self.rule;
        let (count, own) = (self.assignment.peers().len(), self.assignment.rank());
        // asked for within the run, which so knows that something random is drawn in it
        let mut draws = stream(&format!("passes/player-{own}"));
        for _ in (own..tokens as usize).step_by(count) {
            self.pass(&me, passes, &mut draws).await?;
        }
        let mut put_away = 0;
        loop {
            let mut task = me.get(channel(self.assignment.index)).await?;
            match task.take::<Word>() {
                Some(Word::Token(left)) => {
                    me.execute(&Task::new("token", work, 0.0)).await?;
                    self.pass(&me, left, &mut draws).await?;
                }
                Some(Word::Done) => {
                    put_away += 1;
                    if put_away == tokens {
                        self.say(&me, (own + 1) % count, Word::Over).await?;
                    }
                }
                Some(Word::Over) | None => {
                    if own != 0 {
                        self.say(&me, (own + 1) % count, Word::Over).await?;
                    }
                    return Ok(());
                }
            }
        }
    }
}

impl Playing {
    /// Passes a token to another player, or to the first if it was passed often enough.
    async fn pass(&self, me: &Agent, left: u32, draws: &mut Stream) -> Result<(), AgentError> {
        if left == 0 {
            return self.say(me, 0, Word::Done).await;
        }
        let (others, own) = (self.assignment.peers().len() as u64 - 1, self.assignment.rank());
        let drawn = if others == 0 { 0 } else { draws.below(others) as usize };
        // the others in order, without this one
        let to = if others > 0 && drawn >= own { drawn + 1 } else { drawn };
        self.say(me, to, Word::Token(left - 1)).await
    }

    async fn say(&self, me: &Agent, to: usize, word: Word) -> Result<(), AgentError> {
        let size = if matches!(word, Word::Token(_)) { self.rule.demand.data } else { 0.0 };
        let index = self.assignment.peers()[to];
        let host = self.assignment.deployment.host(index);
        Ok(me.put_eager(Task::new("token", 0.0, size).carrying(word), host, channel(index)).await?)
    }
}
