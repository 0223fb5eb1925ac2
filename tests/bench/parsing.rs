//! Reading and parsing, beside parsers that build no positions and find no duplicates: `cargo bench --bench parsing`.
//! Real templates come from `../shared/corpus`, and samples of this repository stand in for them.
#![expect(clippy::unwrap_used, reason = "a measuring program")]

#[expect(dead_code, reason = "other benches need more")]
mod parsers;
#[expect(dead_code, reason = "other benches need more")]
mod stacks;

use arcstr::ArcStr;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use formwork::machinery::{Limits, Sources, json, read_yaml};
use std::path::{Path, PathBuf};

/// What is parsed: a corpus with the folder that stands in for it, or a stack of so many resources.
#[derive(Debug)]
enum Input {
    Corpus(&'static str, &'static str),
    Stack(usize),
}

const JSON: [Input; 3] = [
    Input::Corpus("quickstart", "tests/rules/azure"),
    Input::Corpus("avm", "tests/examples/azure"),
    Input::Stack(10_000),
];

const YAML: [Input; 2] = [Input::Corpus("cloudformation", "tests/rules/aws"), Input::Stack(10_000)];

fn main() {
    divan::main();
}

impl Input {
    fn texts(&self, extensions: &[&str]) -> Vec<ArcStr> {
        match *self {
            Self::Corpus(..) => self.files(extensions).iter().filter_map(|file| read(file)).collect(),
            Self::Stack(resources) if extensions.contains(&"json") => vec![stacks::stack(resources).into()],
            Self::Stack(resources) => vec![stacks::yaml(resources).into()],
        }
    }

    fn files(&self, extensions: &[&str]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if let Self::Corpus(name, sample) = *self {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let corpus = root.join("../shared/corpus").join(name);
            collect(&if corpus.is_dir() { corpus } else { root.join(sample) }, extensions, &mut files);
        }
        files
    }
}

/// The text of a file, unless it is not UTF-8.
fn read(file: &Path) -> Option<ArcStr> {
    String::from_utf8(std::fs::read(file).unwrap()).ok().map(|text| text.trim_start_matches('\u{feff}').into())
}

fn collect(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, extensions, files);
        } else if extensions.iter().any(|known| path.extension().is_some_and(|extension| extension == *known)) {
            files.push(path);
        }
    }
}

fn bytes(texts: &[ArcStr]) -> BytesCount {
    BytesCount::new(texts.iter().map(ArcStr::len).sum::<usize>())
}

/// What no parser can be faster than.
#[divan::bench(args = &JSON[..2])]
fn reading(bencher: Bencher<'_, '_>, input: &Input) {
    let files = input.files(&["json"]);
    let size = bytes(&input.texts(&["json"]));
    bencher.counter(size).bench_local(|| files.iter().for_each(|file| drop(black_box(std::fs::read(file)))));
}

#[divan::bench(args = &JSON)]
fn json_by_serde(bencher: Bencher<'_, '_>, input: &Input) {
    let texts = input.texts(&["json"]);
    bencher.counter(bytes(&texts)).bench_local(|| texts.iter().filter(|text| parsers::json(text.as_bytes())).count());
}

#[divan::bench(args = &JSON)]
fn json_by_formwork(bencher: Bencher<'_, '_>, input: &Input) {
    let texts = input.texts(&["json"]);
    bencher.counter(bytes(&texts)).bench_local(|| {
        let sources = Sources::new();
        for text in &texts {
            let file = sources.add("main.json", text.clone());
            black_box(json::parse(file, text, Limits::default().nesting));
        }
    });
}

#[divan::bench(args = &YAML)]
fn yaml_by_saphyr(bencher: Bencher<'_, '_>, input: &Input) {
    let texts = input.texts(&["yaml", "yml"]);
    bencher.counter(bytes(&texts)).bench_local(|| texts.iter().filter(|text| parsers::yaml(text)).count());
}

#[divan::bench(args = &YAML)]
fn yaml_by_formwork(bencher: Bencher<'_, '_>, input: &Input) {
    let texts = input.texts(&["yaml", "yml"]);
    bencher.counter(bytes(&texts)).bench_local(|| {
        let sources = Sources::new();
        for text in &texts {
            let file = sources.add("main.yaml", text.clone());
            black_box(read_yaml(file, text));
        }
    });
}
