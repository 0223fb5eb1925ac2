//! The floor under every figure: reads files, parses JSON with `serde_json` and YAML into the events of `saphyr-parser`,
//! and does nothing with them. Other files are only read if they are named.
//!
//! ```console
//! $ cargo run --release --example floor -- FILE|FOLDER...
//! ```
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program")]

mod parsers;

use std::path::{Path, PathBuf};

fn main() {
    let mut files = Vec::new();
    for path in std::env::args().skip(1) {
        collect(PathBuf::from(path), &mut files);
    }
    let (mut bytes, mut failed) = (0, 0);
    for file in &files {
        let text = std::fs::read(file).unwrap();
        bytes += text.len();
        failed += usize::from(!parsers::parse(file, &text));
    }
    println!("{} files, {bytes} bytes, {failed} not strict", files.len());
}

/// A file that is named, or those of a folder that have a parser.
fn collect(path: PathBuf, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let below = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
        below.filter(|path| path.is_dir() || has_parser(path)).for_each(|path| collect(path, files));
    } else {
        files.push(path);
    }
}

fn has_parser(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["json", "yaml", "yml"].iter().any(|known| extension == *known))
}
