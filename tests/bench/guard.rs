//! Guard rulesets on large stacks: `cargo bench --bench guard`. Times grow with the number of resources, and with that
//! of distinct names below a wildcard.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

#[expect(dead_code, reason = "other benches need more")]
mod stacks;

use arcstr::ArcStr;
use divan::{Bencher, black_box};
use formwork::machinery::{
    Budget, Document, Limits, Offline, RuleSet, Sources, StackRequest, expand_stack, json, parse_ruleset,
};
use std::collections::BTreeMap;

fn main() {
    divan::main();
}

fn document(text: String) -> Document {
    let (sources, text, limits) = (Sources::new(), ArcStr::from(text), Limits::default());
    let file = sources.add("stack.json", text.clone());
    let template = json::parse(file, &text, limits.nesting).value.unwrap();
    let request = StackRequest {
        file,
        name: "stack",
        template: &template,
        parameters: &[],
        overrides: &[],
        raw: false,
        scenario: None,
        loader: &Offline,
        budget: &Budget::new(&limits),
    };
    expand_stack(&request).document.unwrap()
}

fn rules(text: &str) -> RuleSet {
    let sources = Sources::new();
    RuleSet::new(parse_ruleset(sources.add("stack.ruleset", text), "stack.ruleset", text, &BTreeMap::new()).0)
}

#[divan::bench(args = [1_000, 10_000])]
fn twenty_rules(bencher: Bencher<'_, '_>, resources: usize) {
    let (document, rules) = (document(stacks::stack(resources)), rules(stacks::RULESET));
    bencher.bench_local(|| black_box(rules.check(&document)));
}

#[divan::bench(args = [250, 500, 1_000, 2_000])]
fn distinct_keys_below_a_wildcard(bencher: Bencher<'_, '_>, resources: usize) {
    let (document, rules) = (document(stacks::distinct_keys(resources, 5)), rules(stacks::KEYS_RULESET));
    bencher.bench_local(|| black_box(rules.check(&document)));
}
