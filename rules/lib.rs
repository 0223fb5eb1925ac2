//! What is built into formwork: every file of this folder.
//!
//! Tests compare the lists with the folder; `INSTA_UPDATE=always cargo test` updates them.

/// The rule files, ordered by name: the name of each and its text.
pub static FILES: &[(&str, &str)] = &include!("files.list");

/// A row for each rule, in the order of the files: file, ID, name, severity, pillar, `optional` or nothing, and the types
/// with commas between them.
pub static INDEX: &str = include_str!("data/index.txt");

/// The rules of other tools that look for what ours look for, one of our rules per line.
pub static COUNTERPARTS: &str = include_str!("data/counterparts.txt");

/// The rules of cfn-lint: ID, state, our ID or a reason, and a sample, with tabs between them.
pub static CFN_LINT: &str = include_str!("data/cfn-lint.txt");

/// The tables with the days on which support ends: the name of each and its text.
pub static TABLES: &[(&str, &str)] = &[
    // begin of the list
    ("aks-lts-versions", include_str!("data/aks-lts-versions.tsv")),
    ("aks-versions", include_str!("data/aks-versions.tsv")),
    ("appservice-dotnet", include_str!("data/appservice-dotnet.tsv")),
    ("appservice-node", include_str!("data/appservice-node.tsv")),
    ("appservice-php", include_str!("data/appservice-php.tsv")),
    ("appservice-python", include_str!("data/appservice-python.tsv")),
    ("appservice-stacks", include_str!("data/appservice-stacks.tsv")),
    ("deployment-script-cli", include_str!("data/deployment-script-cli.tsv")),
    ("deployment-script-powershell", include_str!("data/deployment-script-powershell.tsv")),
    ("functions-runtimes", include_str!("data/functions-runtimes.tsv")),
    ("hdinsight-versions", include_str!("data/hdinsight-versions.tsv")),
    ("lambda-runtimes", include_str!("data/lambda-runtimes.tsv")),
    ("mysql-versions", include_str!("data/mysql-versions.tsv")),
    ("openai-models", include_str!("data/openai-models.tsv")),
    ("postgresql-versions", include_str!("data/postgresql-versions.tsv")),
    ("synapse-spark-versions", include_str!("data/synapse-spark-versions.tsv")),
    ("vm-extensions", include_str!("data/vm-extensions.tsv")),
    ("vm-images", include_str!("data/vm-images.tsv")),
    ("vm-sizes", include_str!("data/vm-sizes.tsv")),
    // end of the list
];
