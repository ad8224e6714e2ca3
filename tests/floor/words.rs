//! Names that were replaced lead to those of today.

use clustersim_experiment::scenario::renamed::{Named, RENAMED};
use clustersim_testing::program::Place;

#[test]
fn a_replaced_name_leads_to_a_name_of_today() {
    let place = Place::new();
    for one in RENAMED {
        let new = one.new.split(" = ").next().unwrap();
        assert_eq!(place.run(&["explain", new]).status, 0, "`{new}` is not known");
        if one.what != Named::Value {
            let output = place.run(&["explain", one.old]);
            assert_eq!(output.status, 2, "{}", one.old);
            assert!(output.stderr.contains(&format!("is called `{}`", one.new)), "{}", output.stderr);
        }
    }
}
