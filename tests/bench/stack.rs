//! Prints what the Guard benches run on, to measure the whole program.
//!
//! ```console
//! $ cargo run --release --example stack -- template 10000 > stack.json
//! $ cargo run --release --example stack -- ruleset > stack.ruleset
//! $ cargo run --release --example stack -- keys 2000 > keys.json
//! $ cargo run --release --example stack -- keys-ruleset > keys.ruleset
//! ```
#![expect(clippy::print_stdout, reason = "a generator")]

mod stacks;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let resources = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(1_000);
    match what.as_str() {
        "template" => print!("{}", stacks::stack(resources)),
        "ruleset" => print!("{}", stacks::RULESET),
        "keys" => print!("{}", stacks::distinct_keys(resources, 5)),
        "keys-ruleset" => print!("{}", stacks::KEYS_RULESET),
        other => println!("`{other}` is none of template, ruleset, keys, keys-ruleset"),
    }
}
