//! Mailboxes: messages in order to receivers in order, and none lost.

use clustersim_kernel::{Either, Mailbox, hold, race, spawn};

use super::support::{By, ENDS, SURVIVED, logged, lose, ns, scene};

#[test]
fn messages_in_order_go_to_receivers_in_order() {
    let log = scene(|log| {
        let mailbox = Mailbox::new("mailbox");
        for name in ["a", "b"] {
            let (log, mailbox) = (log.clone(), mailbox.clone());
            spawn(name, async move {
                for _ in 0..2 {
                    let message: u32 = mailbox.receive().await;
                    log.note(format!("{name} {message}"));
                }
            });
        }
        spawn("sender", async move {
            hold(ns(1)).await;
            assert_eq!(mailbox.receivers(), 2);
            for message in 1..=4 {
                mailbox.send(message);
            }
            assert_eq!((mailbox.receivers(), mailbox.len()), (0, 2));
        });
    });
    // 1 and 2 were handed over, 3 and 4 are there when each receives again
    assert_eq!(log, logged(&[(1, "a 1"), (1, "a 3"), (1, "b 2"), (1, "b 4")]));
}

#[test]
fn receiving_what_is_there_does_not_yield() {
    let log = scene(|log| {
        let mailbox = Mailbox::new("mailbox");
        mailbox.send("kept");
        mailbox.send("too");
        let (a, b) = (log.clone(), log.clone());
        spawn("a", async move {
            a.note(mailbox.receive().await);
            a.note(mailbox.receive().await);
            assert!(mailbox.is_empty() && mailbox.try_receive().is_none());
        });
        spawn("b", async move { b.note("other") });
    });
    assert_eq!(log, logged(&[(0, "kept"), (0, "too"), (0, "other")]));
}

#[test]
fn a_message_at_the_very_instant_of_the_time_out_wins() {
    let log = scene(|log| {
        let mailbox = Mailbox::new("mailbox");
        let (log, inbox) = (log.clone(), mailbox.clone());
        spawn("receiver", async move {
            for _ in 0..3 {
                log.note(format!("{:?}", inbox.timed_receive(ns(5)).await));
            }
        });
        spawn("sender", async move {
            hold(ns(5)).await;
            mailbox.send('x');
            hold(ns(6)).await;
            mailbox.send('y');
        });
    });
    assert_eq!(log, logged(&[(5, "Some('x')"), (10, "None"), (11, "Some('y')")]));
}

fn receive_one(mailbox: Mailbox<u32>) -> impl Fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>> + Clone {
    move || {
        let mailbox = mailbox.clone();
        Box::pin(async move { assert_eq!(mailbox.receive().await, 7) })
    }
}

#[test]
fn a_lost_receive_leaves_the_message_to_the_next() {
    for by in SURVIVED {
        let mailbox = Mailbox::new("mailbox");
        let outbox = mailbox.clone();
        let log = lose(by, receive_one(mailbox.clone()), move || outbox.send(7));
        assert_eq!(log, logged(&[(9, "other")]), "{by:?}");
        assert_eq!((mailbox.len(), mailbox.receivers()), (0, 0), "{by:?}");
    }
}

#[test]
fn at_the_end_of_a_run_a_message_on_its_way_is_back_in_the_mailbox() {
    for by in ENDS {
        let mailbox = Mailbox::new("mailbox");
        let outbox = mailbox.clone();
        assert_eq!(lose(by, receive_one(mailbox.clone()), move || outbox.send(7)), [], "{by:?}");
        assert_eq!(mailbox.receivers(), 0, "{by:?}");
        assert_eq!(mailbox.try_receive(), (by == By::EndOnceServed).then_some(7), "{by:?}");
    }
}

#[test]
fn a_message_that_comes_back_goes_to_the_head() {
    let log = scene(|log| {
        let mailbox = Mailbox::new("mailbox");
        let (log, inbox) = (log.clone(), mailbox.clone());
        let victim = spawn("victim", async move {
            inbox.receive().await;
        });
        spawn("fate", async move {
            hold(ns(1)).await;
            mailbox.send(1);
            mailbox.send(2);
            victim.kill();
            for _ in 0..2 {
                log.note(mailbox.receive().await.to_string());
            }
        });
    });
    assert_eq!(log, logged(&[(1, "1"), (1, "2")]));
}

#[test]
fn messages_that_come_back_are_in_the_order_in_which_they_were_sent() {
    for reversed in [false, true] {
        let log = scene(|log| {
            let mailbox = Mailbox::new("mailbox");
            let mut victims = [0, 1].map(|victim| {
                let inbox = mailbox.clone();
                spawn(("victim", victim), async move {
                    inbox.receive().await;
                })
            });
            if reversed {
                victims.reverse();
            }
            let log = log.clone();
            spawn("fate", async move {
                hold(ns(1)).await;
                (1..=3).for_each(|message| mailbox.send(message));
                victims.into_iter().for_each(|victim| assert!(victim.kill()));
                for _ in 0..3 {
                    log.note(mailbox.receive().await.to_string());
                }
            });
        });
        assert_eq!(log, logged(&[(1, "1"), (1, "2"), (1, "3")]), "killed in reverse: {reversed}");
    }
}

#[test]
fn of_two_receives_raced_only_one_takes_a_message() {
    let log = scene(|log| {
        let mailbox = Mailbox::<u32>::new("mailbox");
        let (log, inbox) = (log.clone(), mailbox.clone());
        spawn("receiver", async move {
            let (Either::Left(first) | Either::Right(first)) = race(inbox.receive(), inbox.receive()).await;
            log.note(first.to_string());
            assert_eq!(inbox.receivers(), 0);
            log.note(inbox.receive().await.to_string());
        });
        spawn("sender", async move {
            hold(ns(1)).await;
            mailbox.send(1);
            mailbox.send(2);
        });
    });
    assert_eq!(log, logged(&[(1, "1"), (1, "2")]));
}
