//! `formwork rules list --map cfn-lint`: the rules of cfn-lint, and what reports the same.

use std::fmt::Write as _;

use crate::cli::args::ListFormat;
use crate::cli::rules::list::columns;
use crate::rules::cfn_lint::{CfnLintRule, Coverage, rules};
use crate::text::escape::Notation;

/// Start of the page, before the table.
const HEAD: &str = "\
# Find what reports the same as a rule of cfn-lint

The table has all rules for errors and warnings of [cfn-lint](https://github.com/aws-cloudformation/cfn-lint) 1.58.0 (MIT-0).
`formwork rules list --map cfn-lint` prints it. `formwork init` [imports](migrate.md) what `.cfnlintrc` ignores.

- *reported*: the check or the rule reports the same. A test runs a sample of each row with all rules (`--profile all`).
- *not needed*: no template of a user breaks the rule, or AWS accepts what it is about.
- *not yet*: nothing reports the same.

The page is written from `rules/data/cfn-lint.txt`.
";

/// Returns the table in a format.
pub(super) fn table(format: ListFormat) -> (String, Notation) {
    match format {
        ListFormat::Console => (columns(rules().iter().map(row)), Notation::Plain),
        ListFormat::Markdown => (page(), Notation::Plain),
        ListFormat::Json => {
            (format!("{:#}\n", rules().iter().map(wire).collect::<serde_json::Value>()), Notation::Json)
        }
    }
}

fn row(rule: &CfnLintRule) -> [String; 3] {
    [rule.id.to_owned(), rule.coverage.state().to_owned(), rule.coverage.text().to_owned()]
}

fn wire(rule: &CfnLintRule) -> serde_json::Value {
    let (state, text) = (rule.coverage.state(), rule.coverage.text());
    match rule.coverage {
        Coverage::Reported { .. } => serde_json::json!({"id": rule.id, "state": state, "by": text}),
        _ => serde_json::json!({"id": rule.id, "state": state, "reason": text}),
    }
}

/// Returns the page of the documentation.
fn page() -> String {
    let mut text = HEAD.to_owned();
    let count = |state: &str| rules().iter().filter(|rule| rule.coverage.state() == state).count();
    let counts = ["reported", "not needed", "not yet"].map(|state| format!("{} {state}", count(state)));
    let _ = write!(
        text,
        "\nOf {} rules: {}.\n\n| cfn-lint | state | formwork, or the reason |\n|---|---|---|\n",
        rules().len(),
        counts.join(", ")
    );
    for rule in rules() {
        let cell = match rule.coverage {
            Coverage::Reported { by, .. } => format!("`{by}`"),
            Coverage::NotNeeded(reason) | Coverage::NotYet(reason) => reason.to_owned(),
        };
        let _ = writeln!(text, "| {} | {} | {cell} |", rule.id, rule.coverage.state());
    }
    text
}
