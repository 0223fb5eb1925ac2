//! The table of Azure's types: `cargo bench --bench types`. Opening it must cost next to nothing, since every run does.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

use divan::{Bencher, black_box};
use formwork::machinery::TypeTable;

/// A type of a small provider, of one of middle size, and of the largest one.
const TYPES: [(&str, &str); 3] = [
    ("Microsoft.Portal/dashboards", "2020-09-01-preview"),
    ("Microsoft.Storage/storageAccounts", "2023-01-01"),
    ("Microsoft.Network/virtualNetworks", "2023-09-01"),
];

fn main() {
    divan::main();
}

#[divan::bench]
fn open() -> Option<TypeTable> {
    TypeTable::open()
}

#[divan::bench(args = [0, 1, 2])]
fn first_look_up(bencher: Bencher<'_, '_>, at: usize) {
    let (name, version) = TYPES[at];
    let fresh = || TypeTable::open().unwrap();
    bencher.with_inputs(fresh).bench_local_refs(|table| assert!(black_box(table.has(name, version))));
}

#[divan::bench(args = [0, 1, 2])]
fn later_look_up(bencher: Bencher<'_, '_>, at: usize) {
    let (name, version) = TYPES[at];
    let table = TypeTable::open().unwrap();
    assert!(table.has(name, version));
    bencher.bench_local(|| black_box(table.has(name, version)));
}
