//! The samples are compiled, and the page is written from the table.

use std::fmt::Write as _;
use std::path::Path;

use crate::codes::{BicepRule, CodeState, all, files_of};
use crate::compiler::memory::Memory;
use crate::compiler::{compile, compile_parameters};
use crate::diagnostic::Level;
use crate::text::Sources;

/// Returns the IDs of the problems in a sample.
fn reported(sample: &str) -> Vec<String> {
    let files = files_of(sample);
    let sources = Sources::new();
    let mut host = Memory::new(&sources, files.iter().map(|(name, text)| (*name, text.as_str())));
    let is_parameters = files.first().is_some_and(|(name, _)| name.ends_with("param"));
    let made = if is_parameters {
        compile_parameters(Path::new("/r/main.bicepparam"), &mut host)
    } else {
        compile(Path::new("/r/main.bicep"), &mut host)
    };
    made.problems.iter().chain(&made.warnings).map(|problem| problem.id().into_owned()).collect()
}

#[test]
fn each_sample_has_its_problem() {
    let mut wrong = String::new();
    for BicepRule { code, state, .. } in all() {
        let CodeState::Reported(id, sample) = state else { continue };
        let found = reported(sample);
        if !found.contains(id) {
            writeln!(wrong, "{code} {id}: {}", found.join(" ")).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_code_has_a_state_with_a_reason() {
    assert_eq!(all().len(), 409);
    let count = |is: fn(&CodeState) -> bool| all().iter().filter(|rule| is(&rule.state)).count();
    let met = 409 - count(|state| matches!(state, CodeState::NotNeeded(_)));
    let open = count(|state| matches!(state, CodeState::NotYet(_)));
    assert!(open * 10 <= met, "{open} of {met} codes that users can meet are not reported");
}

fn page() -> String {
    let count = |is: fn(&CodeState) -> bool| all().iter().filter(|rule| is(&rule.state)).count();
    let mut page = String::from(
        "<!-- Written from `crates/bicep/src/codes` by `INSTA_UPDATE=always cargo test -p formwork-bicep`. -->\n\n# Codes of Bicep's compiler\n\n\
         After this page, you know which problems of Bicep the built-in compiler reports, and under which ID.\n\n",
    );
    let _ = writeln!(
        page,
        "Of the {} codes of Bicep 0.46, {} are reported, {} cannot occur in a file that formwork reads, and {} are not reported yet.\n",
        all().len(),
        count(|state| matches!(state, CodeState::Reported(..))),
        count(|state| matches!(state, CodeState::NotNeeded(_))),
        count(|state| matches!(state, CodeState::NotYet(_))),
    );
    page.push_str(
        "`formwork rules show BCP053` explains a code. Settings and suppressions take its ID, such as `bicep/BCP053`; `bicep/diagnostic`, the\n\
         ID of all of them in earlier releases, still means all of them. An error means that the file cannot be built, so it cannot be\n\
         suppressed. Bicep's own `#disable-next-line BCP318` disables a warning.\n\n\
         | code | name | level | state |\n|---|---|---|---|\n",
    );
    for BicepRule { code, name, level, state } in all() {
        let state = match state {
            CodeState::Reported(id, _) if *id == code.rule_id() => "reported".to_owned(),
            CodeState::Reported(id, _) => format!("reported as `{id}`"),
            CodeState::NotNeeded(reason) => format!("not needed: {reason}"),
            CodeState::NotYet(reason) => format!("not yet: {reason}"),
        };
        let level = if *level == Level::Error { "error" } else { "warning" };
        let _ =
            writeln!(page, "| <a id=\"{}\"></a>{code} | {name} | {level} | {state} |", code.to_string().to_lowercase());
    }
    page
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the variable of the environment renews the page")]
fn the_page_of_codes_is_written_from_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bicep-codes.md");
    let wanted = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "`INSTA_UPDATE=always cargo test -p formwork-bicep` renews docs/bicep-codes.md");
}
