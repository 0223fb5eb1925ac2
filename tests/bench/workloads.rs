//! Writes the inputs of all measured runs of the program to a folder, and prints the runs as JSON, for `.ci/bench`.
//!
//! ```console
//! $ cargo run --release --example workloads -- FOLDER SHARED
//! ```
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a measuring program")]

mod cases;
mod stacks;
#[expect(dead_code, reason = "other benches need more")]
mod templates;

use std::path::PathBuf;

use cases::{Case, Layout};
use serde_json::{Value, json};

fn main() {
    let mut folders = std::env::args().skip(1).map(PathBuf::from);
    let folder = folders.next().expect("the first argument is a folder to write to");
    let shared = folders.next().expect("the second argument is the folder of corpora");
    let run = |case: &Case| {
        json!({
            "name": case.name,
            "folder": case.folder,
            "arguments": case.arguments,
            "threads": case.threads,
            "inputs": case.inputs,
        })
    };
    println!("{}", Layout::cases(&folder, &shared).iter().map(run).collect::<Value>());
}
