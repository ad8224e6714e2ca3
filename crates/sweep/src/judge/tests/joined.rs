//! Runs in which a file is sent on from one cluster to another.

use super::Written;

/// The same run where `s` comes to `B` from `A`, which has it at 2.5 s.
fn joined() -> Written {
    let mut run = Written::new();
    let transfers = "\
file,cluster,direction,for-task,bytes,planned,start,end,link
s,A,input,t0,2000,0,0,2.5,A
p,A,input,t0,1000,2.5,2.5,4,A
s,B,copy,t2,2000,3,3,5.5,A-B
o,A,output,t0,500,14,14,15,A
";
    for (name, text) in &mut run.texts {
        if *name == "transfers" {
            *text = transfers.to_owned();
        }
    }
    run
}

#[test]
fn a_file_may_come_from_a_cluster_that_has_it() {
    assert_eq!(joined().broken(), (vec![], String::new()));
    // `B` leaves at 30 s
    let broken_off =
        joined().and("transfers", "p,B,copy,t0,1000,,29,,A-B\n").with("files", "4,1000,1,20", "4,1000,1,");
    assert_eq!(broken_off.broken(), (vec![], String::new()));
}

#[test]
fn faults_of_files_that_are_sent_on_are_found() {
    let nowhere = "comes from a cluster that does not have it";
    let faults = [
        (joined().with("transfers", "t2,2000,3,3,5.5", "t2,2000,2,2,4.5"), nowhere),
        (joined().with("files", "2.5,2000,2,", "2.5,2000,2,5"), nowhere),
        (joined().with("transfers", "5.5,A-B", "5.5,B"), "is on no link between its cluster and another"),
        (
            joined().with("transfers", "5.5,A-B", "5.5,archive-B"),
            "is on no link between its cluster and another",
        ),
        (joined().with("transfers", "copy", "input"), "is on another link than that to its origin"),
        (joined().with("transfers", "3,3,5.5,A-B", "3,3,5,A-B"), "ends at 5 s, by its link at 5.5 s"),
        (
            joined().and("transfers", "s,B,copy,t2,2000,3,4,6.5,A-B\n"),
            "starts on a link that carries file `s`",
        ),
    ];
    for (run, what) in faults {
        let (_, found) = run.broken();
        assert!(found.contains(what), "{what}: {found}");
    }
}
