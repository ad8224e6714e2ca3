//! A link that leads to two clusters of a parameter sweep: an error at its place.

use clustersim_testing::program::Place;

const APPLICATION: &str = "[application]\nkind = 'generated'\ntasks = 4\ntime = '20min'\noutput = '10MB'\n\
    files = [{ name = 'db', sharing = 'all', size = '500MB' }]\n[scheduler]\nkind = 'plan'\n";

fn rejected(platform: &str, files: &[(&str, &str)]) -> String {
    let place = Place::new();
    for (name, text) in files {
        place.file(name, *text);
    }
    place.file("s.toml", format!("title = 'shared'\n{platform}{APPLICATION}"));
    let done = place.run(&["run", "s.toml", "-o", "out"]);
    assert_eq!(done.status, 2, "{}{}", done.stdout, done.stderr);
    let validated = place.run(&["validate", "s.toml"]);
    assert!(validated.stderr.contains("leads to") || validated.status == 0, "{}", validated.stderr);
    done.stderr
}

#[test]
fn in_a_described_platform_it_is_reported_at_the_route() {
    let site = |name: &str| {
        format!(
            "[[platform.zone]]\nname = 'site-{name}'\n[[platform.host]]\nname = '{name}'\nzone = 'site-{name}'\nspeed = '10Gf'\n\
             [[platform.route]]\nfrom = 'submit'\nto = 'site-{name}'\nto-gateway = '{name}'\nlinks = ['uplink']\n"
        )
    };
    let link = "[[platform.link]]\nname = 'uplink'\nbandwidth = '1Gbps'\nlatency = '1ms'\n";
    let platform = format!("[platform]\norigin = 'submit'\n{link}{}{}", site("a"), site("b"));
    let said = rejected(&platform, &[]);
    assert!(said.contains("the link `uplink` leads to `site-a` and to `site-b`"), "{said}");
    // the line of the second route's links
    let line = platform.lines().count() + 1;
    assert!(said.contains(&format!("s.toml:{line}:")), "line {line}: {said}");
}

#[test]
fn in_a_file_it_is_reported_at_the_line_that_names_it_last() {
    let zone = |name: &str| {
        format!("<zone id=\"site-{name}\" routing=\"Full\"><host id=\"{name}\" speed=\"10Gf\"/></zone>\n")
    };
    let route = |name: &str| {
        format!(
            "<zoneRoute src=\"home\" dst=\"site-{name}\" gw_src=\"submit\" gw_dst=\"{name}\">\n\
             <link_ctn id=\"uplink\"/>\n</zoneRoute>\n"
        )
    };
    let xml = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n\
         <zone id=\"world\" routing=\"Full\">\n<zone id=\"home\" routing=\"Full\"><host id=\"submit\" speed=\"10Gf\"/></zone>\n{}{}\
         <link id=\"uplink\" bandwidth=\"125MBps\" latency=\"1ms\"/>\n{}{}</zone>\n</platform>\n",
        zone("a"),
        zone("b"),
        route("a"),
        route("b")
    );
    let said = rejected("[platform]\nfile = 'grid.xml'\norigin = 'submit'\n", &[("grid.xml", &xml)]);
    assert!(said.contains("the link `uplink` leads to `site-a` and to `site-b`"), "{said}");
    let line = xml.lines().count() - 3;
    assert!(said.contains(&format!("grid.xml:{line}")), "line {line}: {said}");
}
