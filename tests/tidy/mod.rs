//! What neither the compiler nor Clippy checks: who uses whom in a crate, effects, sizes of files, documentation.

mod code;
mod edges;
mod effects;
mod files;
mod words;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::harness::is_blessing;
use crate::tidy::code::{Source, Token, sources};
use crate::tidy::effects::Effect;

/// The modules of the crate `check` and of the package, in the order of `lib.rs`, and which others each uses. `ARCHITECTURE.md` shows this table.
const MODULES: &[(&str, &[&str])] = &[
    ("cleanup", &[]),
    ("files", &["cleanup"]),
    ("bicep", &["cleanup", "files"]),
    ("checks", &[]),
    ("config", &["files"]),
    ("engine", &["cleanup", "files", "bicep", "checks", "config"]),
    ("join", &["files", "checks"]),
    ("migrate", &[]),
    ("editor", &["files", "bicep", "engine"]),
    ("api", &["files", "engine"]),
    ("cli", &["cleanup", "files", "bicep", "config", "migrate", "engine", "editor", "join"]),
];

/// Parts of modules that use each other, and why they do.
const CYCLES: &[(&[&str], &str)] = &[
    (
        &["arm::eval", "arm::expr", "arm::functions", "arm::types"],
        "the parser looks up functions, which evaluate their arguments, and user-defined functions have types that are evaluated",
    ),
    (&["cfn::assemble", "cfn::nested"], "a nested stack is assembled like the stack around it"),
    (
        &["cfn::conditions", "cfn::evaluator", "cfn::functions", "cfn::loops", "cfn::stack"],
        "functions evaluate their arguments, conditions are functions, and loops bind names that functions look up",
    ),
    (
        &["lsp::answers", "lsp::server", "lsp::view"],
        "the server hands a request on, and the answer is made of the state that the server has, as a view shows it",
    ),
    (
        &["engine::bicep", "engine::inputs"],
        "the inventory reads the modules of Bicep files, and jobs are planned from what their build makes of them",
    ),
];

/// What a run reaches outside of itself. Everything else gives the same output for the same input.
const EFFECTS: &[Effect] = &[
    Effect {
        name: "files",
        paths: &["std::fs", "tempfile", "ignore::WalkBuilder"],
        owners: &["bicep/cli", "cli", "engine", "files", "cleanup"],
    },
    Effect {
        name: "the environment",
        paths: &[
            "std::env::args",
            "std::env::args_os",
            "std::env::current_dir",
            "std::env::current_exe",
            "std::env::home_dir",
            "std::env::temp_dir",
            "std::env::var",
            "std::env::var_os",
            "std::env::vars",
            "std::env::vars_os",
        ],
        // What git must not inherit has to be taken from it by name.
        owners: &["cli/environment", "cli/supervise", "engine/changes/git", "main"],
    },
    Effect {
        name: "processes",
        paths: &["std::process::Command", "std::process::Child", "std::process::id", "std::process::abort"],
        owners: &["bicep/cli", "cli/supervise", "engine/changes/git", "cleanup"],
    },
    Effect {
        name: "the clock",
        paths: &["std::time::SystemTime", "std::time::Instant", "Utc::now", "chrono::Local"],
        owners: &[
            "bicep/cli/process",
            "cli/clock",
            "cli/progress",
            "cli/supervise/course",
            "engine/changes/git",
            "lsp/folder",
            "lsp/pace",
            "lsp/progress",
            "lsp/server",
            "lsp/worker",
            "mcp/server",
        ],
    },
    Effect {
        name: "chance",
        paths: &["rand", "getrandom", "std::hash::RandomState", "Uuid::new_v4"],
        owners: &["cli/github/outputs"],
    },
    Effect {
        name: "standard input",
        paths: &["std::io::stdin", "io::stdin"],
        owners: &["cli/check", "cli/settings", "lsp/transport", "mcp/transport"],
    },
    // A text that is printed by any other way may be a command to a runner.
    Effect {
        name: "standard output and standard error",
        paths: &["std::io::stdout", "std::io::stderr", "io::stdout", "io::stderr"],
        owners: &["cli/progress", "cli/streams", "cli/terminal", "lsp/transport", "mcp/transport"],
    },
    Effect {
        name: "the network",
        paths: &[
            "std::net::TcpStream",
            "std::net::TcpListener",
            "std::net::UdpSocket",
            "std::net::ToSocketAddrs",
            "http_body_util",
            "octocrab",
            "reqwest",
            "rustls",
            "tokio",
        ],
        owners: &["bicep/modules/registry/download", "github/publish"],
    },
];

/// Longest file under `src`, in lines before its tests.
const MAX_LINES: usize = 600;

/// Docstrings per crate that do not begin as `words::misformed_docs` asks. The numbers only fall; a crate that is not
/// listed has none.
const MISFORMED_DOCS: &[(&str, usize)] = &[
    ("arm", 120),
    ("bicep", 2),
    ("cfn", 20),
    ("check", 12),
    ("formwork", 33),
    ("github", 3),
    ("lsp", 5),
    ("model", 14),
    ("policy", 16),
    ("report", 82),
    ("rules", 17),
    ("schema", 6),
];

/// Count by which a crate may be below its number in the table, before the number has to be lowered.
const SLACK: usize = 25;

/// Closures that name their parameter `it`. The number only falls.
const MAX_NAMELESS: usize = 0;

/// Places in the crate `check` that only a build with the feature `system` has: its modules for that, and their names.
/// The number only falls.
const MAX_SYSTEM_GATES: usize = 10;

#[track_caller]
fn check(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} violations of tests/tidy:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let sources = sources();
    let mut wrong = edges::compare(&edges::modules(sources), MODULES);
    for source in sources {
        let is_group = |tokens: &[Token]| {
            ["use", "crate", ":", ":", "{"].into_iter().eq(tokens.iter().map(|token| token.text.as_str()))
        };
        if source.of_crate.is_none() && source.tokens.windows(5).any(is_group) {
            wrong.push(format!("{}: one `use crate::x` line per module", source.file));
        }
    }
    check(&wrong);
}

/// Modules that are declared in the `lib.rs` of the crate and of the package, in their order.
#[test]
fn modules_are_declared_in_the_order_of_the_table() {
    let mut roots: Vec<&Source> = sources().iter().filter(|source| source.path == "lib.rs").collect();
    roots.sort_by_key(|root| root.file.starts_with("src"));
    let tokens: Vec<&Token> = roots.iter().flat_map(|root| &root.tokens).collect();
    let declared = tokens.windows(3).filter_map(|tokens| match tokens {
        [word, name, end] if word.text == "mod" && end.text == ";" => Some(name.text.as_str()),
        _ => None,
    });
    let declared: Vec<&str> = declared.collect();
    assert_eq!(declared, MODULES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// The page with the modules of a table and what they use. What a module is, the page knows; of a new one it says `?`.
fn renewed(page: &str, table: &[(&str, &[&str])]) -> String {
    let (before, rest) = page.split_once("| module | what | uses |\n|---|---|---|\n").unwrap();
    let rows: Vec<&str> = rest.lines().take_while(|line| line.starts_with('|')).collect();
    let after = &rest[rows.iter().map(|row| row.len() + 1).sum()..];
    let row = |(name, uses): &(&str, &[&str])| {
        let start = format!("| `{name}` | ");
        let what = rows.iter().find_map(|row| row.strip_prefix(&start)?.split(" | ").next()).unwrap_or("?");
        let uses = if uses.is_empty() { "–".to_owned() } else { uses.join(", ") };
        format!("{start}{what} | {uses} |\n")
    };
    let rows: String = table.iter().map(row).collect();
    format!("{before}| module | what | uses |\n|---|---|---|\n{rows}{after}")
}

#[test]
fn the_architecture_page_shows_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let page = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let renewed = renewed(&page, MODULES);
    if is_blessing() {
        fs::write(&path, &renewed).unwrap();
    }
    assert!(
        page == renewed || is_blessing(),
        "`INSTA_UPDATE=always cargo test tidy` renews the table of ARCHITECTURE.md"
    );
}

#[test]
fn parts_of_modules_form_no_new_cycles() {
    let mut wrong = Vec::new();
    let mut known = Vec::new();
    let modules: BTreeSet<&str> = sources().iter().map(|source| source.module()[0]).collect();
    for module in modules {
        let edges = edges::parts(sources(), module);
        for cycle in edges::cycles(&edges) {
            let names: Vec<String> = cycle.iter().map(|part| format!("{module}::{part}")).collect();
            if CYCLES.iter().any(|(parts, _)| *parts == names) {
                known.push(names);
                continue;
            }
            wrong.push(format!("a cycle of {}:", names.join(", ")));
            let inner = edges.iter().filter(|((from, to), _)| cycle.contains(from) && cycle.contains(to));
            wrong.extend(inner.map(|((from, to), place)| format!("  {place}: `{from}` uses `{to}`")));
        }
    }
    let stale = CYCLES.iter().filter(|(parts, _)| !known.iter().any(|names| parts == names));
    wrong.extend(stale.map(|(parts, _)| format!("no longer a cycle: {}", parts.join(", "))));
    check(&wrong);
}

#[test]
fn effects_have_owners() {
    check(&effects::violations(sources(), EFFECTS));
}

#[test]
fn files_are_of_one_subject_and_say_which() {
    check(&sources().iter().flat_map(|source| files::violations(source, MAX_LINES)).collect::<Vec<_>>());
}

/// What is wrong with a number: it is beyond its cap, or the cap can fall to it.
fn compare_count(found: &[String], cap: usize, name: &str) -> Option<String> {
    let count = found.len();
    match count.cmp(&cap) {
        Ordering::Less => Some(format!("only {count} {name}: lower the cap of {cap}")),
        Ordering::Equal => None,
        Ordering::Greater => Some(format!("{count} {name}, the cap is {cap}:\n{}", found.join("\n"))),
    }
}

#[test]
fn docstrings_begin_with_a_verb_or_a_noun() {
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in sources() {
        let of_crate =
            source.file.strip_prefix("crates/").and_then(|path| path.split('/').next()).unwrap_or("formwork");
        wrong.entry(of_crate).or_default().extend(words::misformed_docs(source));
    }
    let mut report = Vec::new();
    for (of_crate, found) in &wrong {
        let cap = MISFORMED_DOCS.iter().find(|(name, _)| name == of_crate).map_or(0, |(_, cap)| *cap);
        if found.len() > cap {
            report.push(format!("{of_crate}: {} docstrings, the cap is {cap}:\n{}", found.len(), found.join("\n")));
        } else if found.len() + SLACK < cap {
            report.push(format!("{of_crate}: only {} docstrings: lower the cap of {cap}", found.len()));
        }
    }
    check(&report);
}

#[test]
fn parameters_of_closures_have_names() {
    let found: Vec<String> = sources().iter().flat_map(words::nameless).collect();
    assert_eq!(compare_count(&found, MAX_NAMELESS, "closures over `it`"), None);
}

#[test]
fn modules_that_need_the_system_are_gated_once() {
    let of_check = sources().iter().filter(|source| source.file.starts_with("crates/check/"));
    let gates = of_check.flat_map(|source| {
        let lines = source.text.lines().enumerate();
        let lines = lines.filter(|(_, line)| line.contains("cfg(") && line.contains(r#"feature = "system""#));
        lines.map(|(at, _)| format!("{}:{}", source.file, at + 1))
    });
    assert_eq!(compare_count(&gates.collect::<Vec<_>>(), MAX_SYSTEM_GATES, "gates of `system`"), None);
}

#[test]
fn a_page_that_differs_from_the_table_is_renewed() {
    let head = "before\n| module | what | uses |\n|---|---|---|\n";
    let page = format!("{head}| `gone` | old | – |\n| `b` | the other | – |\n\nafter\n");
    let expected = format!("{head}| `a` | ? | – |\n| `b` | the other | a, c |\n\nafter\n");
    assert_eq!(renewed(&page, &[("a", &[]), ("b", &["a", "c"])]), expected);
    assert_eq!(renewed(&expected, &[("a", &[]), ("b", &["a", "c"])]), expected);
}

#[test]
fn numbers_only_fall() {
    let found = ["x".to_owned(), "y".to_owned()];
    assert_eq!(compare_count(&found, 2, "things"), None);
    assert_eq!(compare_count(&found, 1, "things").unwrap(), "2 things, the cap is 1:\nx\ny");
    assert_eq!(compare_count(&found, 3, "things").unwrap(), "only 2 things: lower the cap of 3");
}
