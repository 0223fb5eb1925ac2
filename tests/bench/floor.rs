//! The floor under every figure: reads and parses the JSON files below a folder with `serde_json`, and does nothing with
//! them.
//!
//! ```console
//! $ cargo run --release --example floor -- FOLDER
//! ```
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program")]

use std::path::{Path, PathBuf};

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    let (mut bytes, mut failed) = (0, 0);
    for file in &files {
        let text = std::fs::read(file).unwrap();
        bytes += text.len();
        match serde_json::from_slice::<serde_json::Value>(&text) {
            Ok(value) => drop(std::hint::black_box(value)),
            Err(_) => failed += 1,
        }
    }
    println!("{} files, {bytes} bytes, {failed} not strict JSON", files.len());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
}
