//! The page of an account of fidelity: the figures of the terminal, and both mean waits week by
//! week.

use serde_json::Value as Json;

use crate::fidelity::FidelityAccount;
use crate::report::html::page::page;

const SCRIPT: &str = include_str!("fidelity.js");

/// The page; it draws the object that `--json` prints and nothing else.
pub fn draw(account: &FidelityAccount, title: &str) -> Vec<u8> {
    let data: Json = account.to_json(title);
    page(title, &data, SCRIPT)
}

#[cfg(test)]
mod tests {
    use crate::fidelity::ReplayFacts;
    use crate::fidelity::tests::RULES;
    use crate::kernel::rng::Streams;

    use super::*;

    #[test]
    fn the_page_holds_the_object_and_escapes_its_title() {
        let account = FidelityAccount::of(RULES, ReplayFacts::default(), &[], &Streams::new(1, 0));
        let text = String::from_utf8(draw(&account, "a </script> log")).expect("text");
        assert!(text.contains("<h1>a &lt;/script&gt; log</h1>"));
        let begin = text.find("id=\"data\">").expect("data") + 10;
        let data: Json =
            serde_json::from_str(text[begin..].split("</script>").next().expect("all")).expect("JSON");
        assert_eq!(data, account.to_json("a </script> log"));
    }
}
