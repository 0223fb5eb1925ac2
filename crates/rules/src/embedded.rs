//! Embedded rules, read when they are needed.
//!
//! There are hundreds of them, and a template has resources of a few types. A table has the properties of each rule
//! that settings and suppressions need, and the types that its file is about; a file is read when a template has one of
//! these types.
//!
//! A test compares the table with the rules; `INSTA_UPDATE=always cargo test` updates it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use arcstr::ArcStr;

use crate::diagnostic::{Pillar, RuleDetails, RuleInfo, Severity};
use crate::rule::Rule;
use crate::text::Sources;
use crate::unread::Unread;
use crate::{RuleSet, guard, json};

/// Returns all embedded rules, in the order of their files.
pub fn unread() -> impl Iterator<Item = Unread> {
    let mut files = formwork_builtin::FILES.iter().enumerate();
    let mut file = files.next();
    formwork_builtin::INDEX.lines().filter_map(move |line| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        let (name, id, rule_name, severity, pillar, runs) = (cell(), cell(), cell(), cell(), cell(), cell());
        let types = cell();
        while file.is_some_and(|(_, (known, _))| *known != name) {
            file = files.next();
        }
        let severities = [Severity::High, Severity::Medium, Severity::Low];
        let details = RuleDetails {
            pillar: Pillar::read(pillar).ok(),
            is_optional: runs == "optional",
            is_for_production: runs == "production",
            ..RuleDetails::default()
        };
        let info = RuleInfo {
            id: id.to_owned(),
            name: rule_name.to_owned(),
            short_description: String::new(),
            full_description: String::new(),
            recommendation: None,
            help_uri: None,
            severity: severities.into_iter().find(|known| known.as_str() == severity)?,
            resource_types: Vec::new(),
            definition: None,
            check: None,
            details: Arc::new(details),
        };
        Some(Unread { info: Arc::new(info), file: file?.0, types })
    })
}

/// A file of embedded rules, read when a document needs it.
#[derive(Debug)]
pub(super) struct UnreadFile {
    file: usize,
    types: &'static str,
    /// Selected rules, with their severities.
    pub(super) selected: Vec<Arc<RuleInfo>>,
    read: OnceLock<RuleSet>,
}

impl UnreadFile {
    /// Groups rules by file, in order.
    pub(super) fn group(rules: Vec<Unread>) -> Vec<Self> {
        let mut files: Vec<Self> = Vec::new();
        for Unread { info, file, types } in rules {
            match files.last_mut().filter(|last| last.file == file) {
                Some(last) => last.selected.push(info),
                None => files.push(Self { file, types, selected: vec![info], read: OnceLock::new() }),
            }
        }
        files
    }

    /// Returns the types that the file is about, in lower case.
    pub(super) fn types(&self) -> impl Iterator<Item = &'static str> {
        self.types.split(',').filter(|type_name| !type_name.is_empty())
    }

    /// Returns the selected rules. The first call reads the file.
    pub(super) fn rules(&self) -> &RuleSet {
        self.read.get_or_init(|| {
            let rules = read(self.file).into_iter().filter_map(|rule| {
                let selected = self.selected.iter().find(|info| info.id == rule.info().id)?;
                let severity = selected.severity;
                Some(if rule.info().severity == severity { rule } else { rule.with_severity(severity) })
            });
            RuleSet::new(rules)
        })
    }
}

/// Reads the rules of an embedded file. Tests find its problems.
fn read(file: usize) -> Vec<Rule> {
    let Some((name, text)) = formwork_builtin::FILES.get(file) else { return Vec::new() };
    // Nothing that is reported lies in an embedded rule.
    let id = Sources::new().add(*name, *text);
    let rules: Vec<Rule> = if name.ends_with(".ruleset") {
        guard::parse(id, name, text, &BTreeMap::new()).0.into_iter().map(Rule::from).collect()
    } else {
        json::parse(id, &ArcStr::from(*text)).0.into_iter().map(Rule::from).collect()
    };
    rules.into_iter().map(Rule::embedded).collect()
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fmt::Write as _;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Returns the types that the rules of a file are about. None if one of them is about templates.
    fn types(rules: &[Rule]) -> String {
        let mut types: Vec<String> = Vec::new();
        for rule in rules {
            match rule {
                Rule::Json(rule) => match rule.resource_type() {
                    Some(type_name) => types.push(type_name.to_owned()),
                    None => return String::new(),
                },
                _ => types.extend(rule.info().resource_types.iter().map(|name| name.to_ascii_lowercase())),
            }
        }
        types.sort();
        types.dedup();
        types.join(",")
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the variable is that of the snapshots")]
    fn the_table_says_what_the_rules_say() {
        let mut table = String::new();
        for (at, (name, _)) in formwork_builtin::FILES.iter().enumerate() {
            let rules = read(at);
            let types = types(&rules);
            for info in rules.iter().map(Rule::info) {
                let details = &info.details;
                let pillar = details.pillar.map_or("", Pillar::as_str);
                let runs = match (details.is_optional, details.is_for_production) {
                    (true, _) => "optional",
                    (false, true) => "production",
                    (false, false) => "",
                };
                let (id, rule, severity) = (&info.id, &info.name, info.severity.as_str());
                let _ = writeln!(table, "{name}\t{id}\t{rule}\t{severity}\t{pillar}\t{runs}\t{types}");
            }
        }
        if table == formwork_builtin::INDEX {
            return;
        }
        let is_blessing = env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always");
        assert!(is_blessing, "the table differs from the rules; `INSTA_UPDATE=always cargo test` renews it");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules/data/index.txt");
        fs::write(path, table).expect("the table can be written");
    }

    #[test]
    fn a_file_is_read_with_the_rules_that_were_selected_and_their_severities() {
        let rules: Vec<Unread> = unread().filter(|rule| rule.info.id.starts_with("AWS-S3-")).collect();
        let all = rules.len();
        let kept = rules.into_iter().skip(1).map(|rule| rule.with_severity(Severity::Low)).collect();
        let files = UnreadFile::group(kept);
        assert!(files.iter().all(|file| file.read.get().is_none()));
        let infos: Vec<&Arc<RuleInfo>> = files.iter().flat_map(|file| file.rules().infos()).collect();
        assert_eq!(infos.len(), all - 1);
        assert!(infos.iter().all(|info| info.severity == Severity::Low && !info.full_description.is_empty()));
    }
}
