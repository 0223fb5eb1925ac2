//! Whole runs of the program: `cargo bench --bench program`. `.ci/bench` measures the same runs more closely.
#![expect(clippy::expect_used, reason = "a measuring program")]

#[expect(dead_code, reason = "`.ci/bench` needs more")]
mod cases;
mod stacks;
#[expect(dead_code, reason = "other benches need more")]
mod templates;

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use cases::{Case, Layout};
use divan::Bencher;

/// The inputs, which are written once and removed at the end.
static CASES: OnceLock<Vec<Case>> = OnceLock::new();

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    CASES.get_or_init(|| Layout::cases(folder.path(), &shared));
    divan::main();
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

#[divan::bench(args = CASES.get().into_iter().flatten(), sample_count = 5, sample_size = 1)]
fn run(bencher: Bencher<'_, '_>, case: &Case) {
    bencher.bench_local(|| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_formwork"));
        let program = program.args(&case.arguments).current_dir(&case.folder);
        let status = program.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the program starts");
        // Some files of the corpora cannot be analyzed.
        assert!(matches!(status.code(), Some(0 | 3)), "{case}: {status}");
    });
}
