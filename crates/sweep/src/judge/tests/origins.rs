//! Runs with further origins, each of which has links of its own.

use super::Written;

/// The same run where `s` and `o` are on the first origin and `p` in the archive, from which it is
/// sent while `s` is.
fn archived() -> Written {
    let mut run = Written::new();
    let sizes = "file,bytes,origin\ns,2000,origin\np,1000,archive\no,500,origin\n";
    let transfers = "\
file,cluster,direction,for-task,bytes,planned,start,end,link
s,A,input,t0,2000,0,0,2.5,A
p,A,input,t0,1000,2,2,3.5,archive-A
s,B,input,t2,2000,3,3,5.5,B
o,A,output,t0,500,14,14,15,A
";
    for (name, text) in &mut run.texts {
        match *name {
            "sizes" => *text = sizes.to_owned(),
            "transfers" => *text = transfers.to_owned(),
            _ => {}
        }
    }
    run.with("files", "p,A,4", "p,A,3.5")
}

#[test]
fn files_of_two_origins_come_over_two_links_at_once() {
    assert_eq!(archived().broken(), (vec![], String::new()));
}

#[test]
fn a_transfer_over_the_link_of_another_origin_is_found() {
    let faults = [
        (
            archived().with("transfers", "3.5,archive-A", "3.5,A"),
            "is on another link than that to its origin",
        ),
        (archived().with("transfers", "3.5,archive-A", "3.5,archive-B"), "is on another link than that"),
        (archived().with("transfers", "3.5,archive-A", "3.5,elsewhere"), "is on another link than that"),
        (archived().with("transfers", "15,A", "15,archive-A"), "is on another link than that to its origin"),
        (archived().with("sizes", "archive", "origin"), "is on another link than that to its origin"),
        (archived().with("sizes", "archive", "nowhere"), "is on another link than that to its origin"),
    ];
    for (run, what) in faults {
        let (broken, found) = run.broken();
        assert!(broken.iter().any(|words| words.starts_with("transfers carry files")), "{broken:?}");
        assert!(found.contains(what), "{found}");
    }
    let row = "p,B,input,t0,1000,,2,3.5,archive-B\n";
    let at_once = archived().and("transfers", row).and("transfers", row);
    assert!(at_once.broken().1.contains("starts on a link that carries file `p`"));
}
