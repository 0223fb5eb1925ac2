//! Packs what the clouds publish about their types into the data files of formwork.
//!
//! ```text
//! typegen azure GENERATED COMMIT DATE OUT SECRETS LIST...
//! typegen actions LIST VERSION DATE OUT
//! typegen aliases LIST COMMIT DATE OUT
//! typegen cloudformation SCHEMAS VERSION DATE OUT
//! typegen fixed SCHEMAS VERSION DATE OUT
//! typegen policies CHECKOUT COMMIT DATE OUT
//! typegen sets SCHEMAS VERSION DATE OUT
//! ```

mod actions;
mod aliases;
mod azure;
mod cloudformation;
mod fixed;
mod graph;
mod merge;
mod pack;
mod policies;
mod rules;
mod schemas;
mod secrets;
mod sets;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["azure", generated, commit, date, out, secrets, lists @ ..] => {
            let mut providers = azure::read(Path::new(generated), lists);
            secrets::note(&mut providers, Path::new(secrets));
            write("Azure/bicep-types-az", commit, date, providers, out);
        }
        ["cloudformation", schemas, version, date, out] => {
            write("cfn-lint", version, date, cloudformation::read(Path::new(schemas)), out);
        }
        ["aliases", list, commit, date, out] => {
            let source = source("PSRule.Rules.Azure", commit, date);
            let (bytes, raw) = pack::archive(b"FWALIAS1", &source, &aliases::read(Path::new(list)));
            std::fs::write(out, &bytes).expect("a writable file");
            println!("{raw} bytes, {} packed", bytes.len());
        }
        ["policies", checkout, commit, date, out] => {
            let source = source("Azure/azure-policy", commit, date);
            let (bytes, raw) = pack::archive(b"FWPOLICY", &source, &policies::read(Path::new(checkout)));
            std::fs::write(out, &bytes).expect("a writable file");
            println!("{raw} bytes, {} packed", bytes.len());
        }
        ["fixed", schemas, version, date, out] => {
            std::fs::write(out, fixed::list(Path::new(schemas), version, date)).expect("a writable file");
        }
        ["actions", list, version, date, out] => {
            std::fs::write(out, actions::list(Path::new(list), version, date)).expect("a writable file");
        }
        ["sets", schemas, version, date, out] => {
            std::fs::write(out, sets::list(Path::new(schemas), version, date)).expect("a writable file");
        }
        _ => {
            eprintln!("usage: typegen cloudformation SCHEMAS VERSION DATE OUT");
            eprintln!("       typegen fixed SCHEMAS VERSION DATE OUT");
            eprintln!("       typegen actions LIST VERSION DATE OUT");
            eprintln!("       typegen sets SCHEMAS VERSION DATE OUT");
            eprintln!("       typegen aliases LIST COMMIT DATE OUT");
            eprintln!("       typegen policies CHECKOUT COMMIT DATE OUT");
            eprintln!("       typegen azure GENERATED COMMIT DATE OUT SECRETS LIST...");
            std::process::exit(2);
        }
    }
}

fn write(
    name: &str,
    commit: &str,
    date: &str,
    mut providers: std::collections::BTreeMap<String, graph::Graph>,
    out: &str,
) {
    let nodes: usize = providers.values().map(|graph| graph.nodes.len()).sum();
    providers.values_mut().for_each(merge::merge);
    let merged: usize = providers.values().map(|graph| graph.nodes.len()).sum();
    let types: usize = providers.values().map(|graph| graph.types.len()).sum();
    let versions: usize = providers.values().flat_map(|graph| &graph.types).map(|kind| kind.versions.len()).sum();
    let (bytes, raw) = pack::pack(&source(name, commit, date), &providers);
    std::fs::write(out, &bytes).expect("a writable file");
    println!("{} providers, {types} types, {versions} versions", providers.len());
    println!("{nodes} nodes, {merged} after merging; {raw} bytes, {} packed", bytes.len());
}

fn source(name: &str, commit: &str, date: &str) -> pack::Source {
    pack::Source { name: name.to_owned(), commit: commit.to_owned(), date: date.to_owned() }
}
