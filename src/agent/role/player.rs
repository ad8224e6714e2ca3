//! A token game: whoever has a token works on it, and passes it to somebody else drawn at random, until it has been passed often enough.
//!
//! The players of a scenario share a number of tokens, which the first of them have at the start. A token that was passed `passes` times
//! goes to the first player, which puts it away; when it has all of them it sends word around, from each player to the next, that
//! the game is over. Tokens are sent whether or not somebody waits for them, so that nobody who sends keeps another from sending.

use async_trait::async_trait;

use super::{Role, Seat};
use crate::agent::{Agent, AgentError, Behaviour, Channel, Task};
use crate::kernel::rng::Stream;
use crate::kernel::stream;
use crate::platform::Platform;
use crate::registry::{Entry, Key, Kind};
use crate::units::{Bytes, Flops};

pub(super) const ENTRY: Entry<dyn Role> = Entry {
    name: "token-player",
    about: "works on the tokens that it gets and passes each to another agent of this role, drawn at random",
    source: "",
    keys: &[
        Key::new("tokens", Kind::Count { least: 1, most: u32::MAX as u64 }).or_count(1).about(
            "how many tokens there are; the first players have them at the start, one \
                each or more if there are fewer players",
        ),
        Key::new("passes", Kind::Count { least: 1, most: u32::MAX as u64 })
            .or_count(100)
            .about("how often each token is passed"),
        Key::new("data", Kind::Bytes).or("1kB").about("what is sent with a token"),
        Key::new("work", Kind::Flops)
            .or("1Mf")
            .about("what whoever gets a token computes before it passes it"),
    ],
    build: |params| {
        let (data, work): (Bytes, Flops) = (params.read("data")?, params.read("work")?);
        let (tokens, passes) = (params.read("tokens")?, params.read("passes")?);
        Ok(Box::new(Player { tokens, passes, data: data.get() as f64, work: work.get() }))
    },
};

#[derive(Clone, Copy, Debug)]
struct Player {
    tokens: u32,
    passes: u32,
    data: f64,
    work: f64,
}

/// What players send each other.
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
    seat: Seat,
}

/// The channel of the player at this place in the cast.
fn channel(place: usize) -> Channel {
    Channel(place as u32)
}

impl Role for Player {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn behaviour(&self, seat: &Seat, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        // to the others it may send, these it has to
        let peers = seat.peers();
        let certain = [peers[0], peers[(seat.rank() + 1) % peers.len()]];
        seat.reaches(platform, certain.map(|place| seat.cast.host(place)))?;
        Ok(Box::new(Playing { rule: *self, seat: seat.clone() }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Playing {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Player { tokens, passes, work, .. } = self.rule;
        let (count, own) = (self.seat.peers().len(), self.seat.rank());
        // asked for within the run, which so knows that something random is drawn in it
        let mut draws = stream(&format!("passes/player-{own}"));
        for _ in (own..tokens as usize).step_by(count) {
            self.pass(&me, passes, &mut draws).await?;
        }
        let mut put_away = 0;
        loop {
            let mut task = me.get(channel(self.seat.place)).await?;
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
        let (others, own) = (self.seat.peers().len() as u64 - 1, self.seat.rank());
        let drawn = if others == 0 { 0 } else { draws.below(others) as usize };
        // the others in order, without this one
        let to = if others > 0 && drawn >= own { drawn + 1 } else { drawn };
        self.say(me, to, Word::Token(left - 1)).await
    }

    async fn say(&self, me: &Agent, to: usize, word: Word) -> Result<(), AgentError> {
        let size = if matches!(word, Word::Token(_)) { self.rule.data } else { 0.0 };
        let place = self.seat.peers()[to];
        let host = self.seat.cast.host(place);
        Ok(me.put_eager(Task::new("token", 0.0, size).carrying(word), host, channel(place)).await?)
    }
}
