//! The stages of a check, on a generated deployment: `cargo bench`.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

#[expect(dead_code, reason = "other benches need more")]
mod templates;

use arcstr::ArcStr;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use formwork::machinery::{
    Budget, Context, Document, Limits, Offline, Request, RuleSet, Sources, Value, builtin_rules, expand, json,
    parse_bicep,
};

fn main() {
    divan::main();
}

struct Input {
    sources: Sources,
    text: ArcStr,
}

impl Input {
    fn new(modules: usize) -> Self {
        Self::of(templates::template(modules))
    }

    fn of(text: String) -> Self {
        Self { sources: Sources::new(), text: text.into() }
    }

    fn parse(&self) -> (formwork::machinery::FileId, Value) {
        let file = self.sources.add("main.json", self.text.clone());
        (file, json::parse(file, &self.text, 256).value.unwrap())
    }

    fn expand(&self) -> Document {
        let (file, template) = self.parse();
        let (context, limits) = (Context::default(), Limits::default());
        let request = Request {
            file,
            template: &template,
            parameters: None,
            overrides: &[],
            context: &context,
            budget: &Budget::new(&limits),
            states: false,
            explores: false,
            has_unknowns: false,
            loader: &Offline,
        };
        expand(&request).document.unwrap()
    }
}

#[divan::bench(args = [10, 1000])]
fn read_bicep(bencher: Bencher<'_, '_>, resources: usize) {
    let sources = Sources::new();
    let text: ArcStr = templates::bicep(resources).into();
    let file = sources.add("main.bicep", text.clone());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| black_box(parse_bicep(file, &text)));
}

#[divan::bench(args = [10, 100])]
fn parse(bencher: Bencher<'_, '_>, modules: usize) {
    let input = Input::new(modules);
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.parse()));
}

#[divan::bench(args = [10, 100])]
fn parse_and_expand(bencher: Bencher<'_, '_>, modules: usize) {
    let input = Input::new(modules);
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.expand()));
}

#[divan::bench(args = [10, 100])]
fn check(bencher: Bencher<'_, '_>, modules: usize) {
    let input = Input::new(modules);
    let rules: RuleSet = builtin_rules(&input.sources);
    let document = input.expand();
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(rules.check(&document)));
}

#[divan::bench(args = [1, 50])]
fn uses_of_one_template(bencher: Bencher<'_, '_>, uses: usize) {
    let input = Input { sources: Sources::new(), text: templates::repeated(uses).into() };
    bencher.counter(ItemsCount::new(uses)).bench_local(|| black_box(input.expand()));
}

#[divan::bench(args = [10_000])]
fn parse_constrained(bencher: Bencher<'_, '_>, items: usize) {
    let input = Input::of(templates::constrained(items));
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.parse()));
}

#[divan::bench(args = [10_000])]
fn parse_and_check_constrained(bencher: Bencher<'_, '_>, items: usize) {
    let input = Input::of(templates::constrained(items));
    bencher.counter(BytesCount::of_str(&input.text)).bench_local(|| black_box(input.expand()));
}
