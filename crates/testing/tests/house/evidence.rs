//! Files of others are named where they lie, and a test that lacks one fails where it must not.

use clustersim_testing::evidence::{found, skip_for_want_of};
use clustersim_testing::program::repository;

#[test]
#[should_panic(expected = "CI=true, and this test needs swf/none.swf, which is neither in tests/data/public")]
fn a_test_that_lacks_a_file_fails_where_ci_is_true() {
    assert_eq!(found("swf/none.swf"), None);
    skip_for_want_of("swf/none.swf", true);
}

#[test]
fn every_file_of_others_is_named_in_the_readme() {
    let readme = std::fs::read_to_string(repository("tests/data/public/README.md")).unwrap();
    let mut folders = vec![repository("tests/data/public")];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            bytes += std::fs::metadata(&path).unwrap().len();
            // of platforms and workloads of other programs, the folder is named
            let folder = path.parent().unwrap().strip_prefix(repository("tests/data/public")).unwrap();
            let named =
                [name.to_owned(), format!("{}/", folder.display()), format!("{}/{name}", folder.display())];
            let named = named.iter().any(|name| readme.contains(&format!("`{name}`")));
            assert!(
                named || name == "README.md",
                "tests/data/public/README.md does not name {}",
                path.display()
            );
        }
    }
    assert!(bytes < 8 << 20, "{bytes} bytes are more than the repository should carry");
}
