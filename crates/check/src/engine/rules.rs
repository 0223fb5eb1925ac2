//! The rules of a run: read, selected, weighed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;
use foldhash::{HashMap, HashSet};

use crate::bicep::compiler::BICEP_WARNING;
use crate::checks::CHECKS;
use crate::config::{Choices, Profile, RuleSettings};
use crate::diagnostic::{
    BicepCode, Check, CheckKind, Code, Control, Diagnostic, Level, RuleInfo, RulePattern, Severity,
};
use crate::engine::azure_policy::is_of_tool;
use crate::engine::azure_policy::problems;
use crate::engine::bicep_codes;
use crate::engine::detect::of_azure;
use crate::engine::{Checks, Selected, redacted};
use crate::files::{Entry, Tree, display_name, register};
use crate::model::Limits;
use crate::path::normalize;
use crate::policy;
use crate::policy::files::{Gathering, is_policy};
use crate::rules::{self, Rule, guard, guard3, json};
use crate::syntax;
use crate::text::{FileId, Sources, Span, Suggestions};
use crate::value::Value;

/// Files with rules of Template Analyzer.
const JSON_EXTENSIONS: &[&str] = &["json", "jsonc"];

/// Files with Guard rulesets.
const GUARD_EXTENSIONS: &[&str] = &["ruleset", "guard"];

/// Maximum number of folders around a mapping that are searched for the files that it names: its own, and that of the
/// checkout.
const MAX_FOLDERS: usize = 2;

/// The members of which each Azure policy has one.
const POLICY_MEMBERS: &[&str] = &["policyRule", "policyDefinition", "policyAssignmentId"];

/// The member that every rule of Template Analyzer has, in lower case.
const EVALUATION: &[u8] = b"evaluation";

/// Rules of a run, and the files and settings that select them.
#[derive(Debug)]
pub struct RuleSource<'a> {
    /// The current folder, absolute.
    pub working: &'a Path,
    /// Tree that files are read from.
    pub tree: &'a dyn Tree,
    /// Choice of the embedded rules and their profile.
    pub choices: Choices,
    /// True if the texts of all embedded rules are needed, and not only those of rules that find something.
    pub needs_texts: bool,
    /// Rule files and folders.
    pub paths: &'a [PathBuf],
    /// Settings of single rules, and paths of further ones.
    pub settings: &'a RuleSettings,
    /// The environment variables that rulesets may name.
    pub environment: &'a BTreeMap<String, String>,
    /// The limits for reading rule files.
    pub limits: &'a Limits,
}

/// The selected rules and their descriptions for reports.
#[derive(Debug, Default)]
pub struct LoadedRules {
    /// The rules to run, not yet compiled.
    pub rules: Vec<Rule>,
    /// The checks of deployments that are not excluded.
    pub checks: Checks,
    /// IDs of the rules whose severity the settings give.
    pub fixed_severities: HashSet<String>,
    /// Their descriptions with the severities from the settings, ordered by id.
    pub infos: Vec<Arc<RuleInfo>>,
    /// The descriptions of all rules that settings and suppressions may name, whether or not they run.
    pub known: Vec<Arc<RuleInfo>>,
}

/// Reads all rule files. The rules may run only where no diagnostic is an error.
pub fn load_rules(source: &RuleSource<'_>, sources: &Sources) -> (LoadedRules, Vec<Diagnostic>) {
    let mut loader = load(source, sources, None);
    loader.refuse_policies();
    loader.select()
}

/// Reads all rule files, and compares what they name with the types of the clouds. In a folder, files that look neither
/// like rules nor like policies are only counted.
pub fn lint_rules(source: &RuleSource<'_>, sources: &Sources) -> (LoadedRules, Linted, Vec<Diagnostic>) {
    let mut loader = load(source, sources, Some(Linted::default()));
    loader.lint();
    loader.lint_policies();
    let linted = loader.linted.take().unwrap_or_default();
    let (rules, diagnostics) = loader.select();
    (rules, linted, diagnostics)
}

fn load<'a>(source: &'a RuleSource<'a>, sources: &'a Sources, linted: Option<Linted>) -> Loader<'a> {
    let has_builtin = source.choices.builtin_rules.unwrap_or(true);
    let mut loader = Loader {
        source,
        sources,
        has_builtin,
        rules: Vec::new(),
        policies: Gathering::default(),
        diagnostics: Vec::new(),
        files: HashMap::default(),
        mappings: Vec::new(),
        linted,
    };
    if has_builtin {
        loader.read_builtin();
    }
    for (path, span) in &source.settings.paths {
        loader.read_named(path, Some(*span));
    }
    for path in source.paths {
        loader.read_named(&normalize(source.working, path), None);
    }
    loader.map_controls();
    loader.report_duplicates();
    loader.report_unknown_ids();
    loader
}

struct Loader<'a> {
    /// True if the embedded rules are selected, and the checks that give advice.
    has_builtin: bool,
    source: &'a RuleSource<'a>,
    sources: &'a Sources,
    rules: Vec<Rule>,
    /// The Azure policies among the files.
    policies: Gathering,
    diagnostics: Vec<Diagnostic>,
    /// The files that have been read, by their paths.
    files: HashMap<PathBuf, FileId>,
    /// Mappings of rules to controls, each with its path.
    mappings: Vec<(PathBuf, Vec<guard3::Mapped>)>,
    /// Other documents among the rules. `None` if the rules are not linted.
    linted: Option<Linted>,
}

/// Number of documents besides rules in the files and folders that were linted.
#[derive(Clone, Debug, Default)]
pub struct Linted {
    /// Documents of Azure Policy, by their kind in the singular.
    pub policies: [(&'static str, usize); 4],
    /// Files that are neither rules nor policies, by their kind in the singular.
    pub others: BTreeMap<&'static str, usize>,
}

/// Kind of a file that has nothing to do with rules.
const OTHERS: &str = "other file";

impl Loader<'_> {
    fn read_builtin(&mut self) {
        if !self.source.needs_texts {
            self.rules.extend(rules::unread().map(Rule::from));
            return;
        }
        for (name, text) in formwork_builtin::FILES {
            let name = format!("builtin/{name}");
            let file = self.sources.add(name.as_str(), *text);
            let rules = self.parse(&name, file);
            self.rules.extend(rules.into_iter().map(Rule::embedded));
        }
    }

    /// Path from the user: a file, or a folder with rule files at any depth.
    fn read_named(&mut self, path: &Path, named_at: Option<Span>) {
        let tree = self.source.tree;
        let entry = tree.entry(path);
        if entry == Some(Entry::Folder) {
            let mut files = tree.files(path);
            files.retain(|file| is_rule_file(file));
            if files.is_empty() {
                self.complain(path, named_at, "there is no rule file in the folder");
            }
            for file in &files {
                if self.linted.is_none() || has_extension(file, GUARD_EXTENSIONS) {
                    self.read_file(file, named_at);
                } else if !is_of_tool(file.strip_prefix(path).unwrap_or(file)) {
                    self.sort_file(file);
                }
            }
        } else if is_rule_file(path) || entry.is_none() {
            self.read_file(path, named_at);
        } else {
            self.complain(path, named_at, "a rule file is `*.json`, `*.jsonc`, `*.ruleset` or `*.guard`");
        }
    }

    fn complain(&mut self, path: &Path, named_at: Option<Span>, message: &str) {
        let name = display_name(self.source.working, path);
        let diagnostic = match named_at {
            Some(span) => Diagnostic::new(Code::RuleInvalid, span, format!("`{name}`: {message}")),
            None => Diagnostic::of_file(Code::RuleInvalid, self.sources.add(name, ""), message),
        };
        self.diagnostics.push(diagnostic);
    }

    fn read_file(&mut self, path: &Path, named_at: Option<Span>) {
        let name = display_name(self.source.working, path);
        let bytes = match self.source.tree.read(path, self.source.limits.file_bytes) {
            Ok(bytes) => bytes,
            Err(problem) => {
                let mut diagnostic = problem.into_diagnostic(&name, self.sources);
                if let Some(span) = named_at {
                    diagnostic = diagnostic.with_label(span, "named here");
                }
                return self.diagnostics.push(diagnostic);
            }
        };
        if let Some(span) = named_at.filter(|_| !is_meant_as_rules(&self.source.tree.real(path), &bytes)) {
            let place = redacted::place(&name, &bytes);
            let message = format!("`{place}`: this is not a rule file: nothing in it is an `evaluation`");
            return self.diagnostics.push(Diagnostic::new(Code::RuleInvalid, span, message));
        }
        match register(&name, bytes, self.sources) {
            Ok(file) => self.add_file(path, &name, file),
            Err(problem) => self.diagnostics.push(problem),
        }
    }

    /// Adds the rules of a file, or its mapping of rules to controls.
    fn add_file(&mut self, path: &Path, name: &str, file: FileId) {
        self.files.insert(path.to_owned(), file);
        if let Some(mapping) = self.mapping(name, file) {
            return self.mappings.push((path.to_owned(), mapping));
        }
        let rules = self.parse(name, file);
        self.rules.extend(rules);
    }

    /// Reads a file in JSON of a folder that is linted, if it has rules or policies, and counts it otherwise.
    fn sort_file(&mut self, path: &Path) {
        let name = display_name(self.source.working, path);
        let bytes = match self.source.tree.read(path, self.source.limits.file_bytes) {
            Ok(bytes) => bytes,
            Err(problem) => return self.diagnostics.push(problem.into_diagnostic(&name, self.sources)),
        };
        let is_meant = is_meant_as_rules(path, &bytes) || policy::files::is_meant_as_policy(&name, &bytes);
        let Ok(file) = register(&name, bytes, self.sources) else { return self.count_other(OTHERS) };
        let parsed = syntax::json::parse(file, self.sources.get(file).text(), self.source.limits.nesting);
        let Some(value) = parsed.value else {
            if is_meant {
                self.diagnostics.extend(parsed.diagnostics);
            } else {
                self.count_other(OTHERS);
            }
            return;
        };
        if self.policies.add(&name, &value) {
            return;
        }
        if has_rules(&value) || guard3::may_be_mapping(self.sources.get(file).text().as_bytes()) {
            return self.add_file(path, &name, file);
        }
        self.count_other(match of_azure(&value) {
            Some(kind) if kind.is_of_parameters() => "parameter file",
            Some(_) => "template",
            None if is_role(&value) => "role definition",
            None => OTHERS,
        });
    }

    /// Counts a file that is not linted, under a noun in the singular.
    fn count_other(&mut self, noun: &'static str) {
        if let Some(linted) = &mut self.linted {
            *linted.others.entry(noun).or_default() += 1;
        }
    }

    /// Returns the controls of rules in other files, if a file is a mapping of them.
    fn mapping(&self, name: &str, file: FileId) -> Option<Vec<guard3::Mapped>> {
        let source = self.sources.get(file);
        let text = source.text();
        let may_be = has_extension(Path::new(name), JSON_EXTENSIONS) && guard3::may_be_mapping(text.as_bytes());
        may_be.then(|| guard3::mapping(file, text, self.source.limits.nesting)).flatten()
    }

    /// Gives rules the controls that the mappings beside them name. A path in a mapping begins at a folder around it.
    fn map_controls(&mut self) {
        let mut controls: HashMap<FileId, Vec<Control>> = HashMap::default();
        for (path, mapping) in std::mem::take(&mut self.mappings) {
            for mapped in mapping {
                let folders = path.ancestors().skip(1).take(MAX_FOLDERS);
                let mut named =
                    folders.filter_map(|folder| self.files.get(&normalize(folder, Path::new(&mapped.path))));
                if let Some(file) = named.next() {
                    controls.entry(*file).or_default().extend(mapped.controls);
                }
            }
        }
        if controls.is_empty() {
            return;
        }
        let rules = std::mem::take(&mut self.rules).into_iter().map(|rule| match rule {
            Rule::Guard3(rule) => {
                let own = rule.info().definition.and_then(|span| controls.get(&span.file));
                Rule::Guard3(match own {
                    Some(controls) => rule.with_controls(controls),
                    None => rule,
                })
            }
            other => other,
        });
        self.rules = rules.collect();
    }

    /// Returns the rules of a file. Its name decides if they are Guard rules, and its text in which version of Guard.
    fn parse(&mut self, name: &str, file: FileId) -> Vec<Rule> {
        let source = self.sources.get(file);
        let is_guard = has_extension(Path::new(name), GUARD_EXTENSIONS);
        if is_guard && guard3::is_guard3(source.text()) {
            let (rules, problems) = guard3::parse(file, name, source.text());
            self.diagnostics.extend(problems);
            return rules.into_iter().map(Rule::from).collect();
        }
        if is_guard {
            let (rules, problems) = guard::parse(file, name, source.text(), self.source.environment);
            self.diagnostics.extend(problems);
            return rules.into_iter().map(Rule::from).collect();
        }
        if let Some(policy) = self.policy(source.text(), file) {
            self.policies.add(name, &policy);
            return Vec::new();
        }
        let (rules, problems) = json::parse(file, source.text());
        self.diagnostics.extend(problems);
        rules.into_iter().map(Rule::from).collect()
    }

    /// Returns the document of a file that has an Azure policy instead of rules.
    fn policy(&self, text: &ArcStr, file: FileId) -> Option<Value> {
        let may_be = POLICY_MEMBERS.iter().any(|member| text.contains(member));
        let parse = || syntax::json::parse(file, text, self.source.limits.nesting).value;
        may_be.then(parse).flatten().filter(is_policy)
    }

    /// Reports files with Azure policies, which are not rules.
    fn refuse_policies(&mut self) {
        let policies = std::mem::take(&mut self.policies).finish();
        let definitions = policies.definitions.iter().filter_map(|document| document.span);
        let others = policies.initiatives.iter().filter_map(|document| document.span);
        let others = others.chain(policies.assignments.iter().filter_map(|document| document.span));
        for span in definitions.chain(others) {
            let problem = Diagnostic::new(Code::RuleInvalid, span, "this is an Azure policy and not a rule");
            self.diagnostics
                .push(problem.with_help("name the file with `--policy` or in `policy.paths` of the settings"));
        }
    }

    /// Warns of what is probably wrong in the Azure policies.
    fn lint_policies(&mut self) {
        let policies = std::mem::take(&mut self.policies).finish();
        if let Some(linted) = &mut self.linted {
            let is_own = |span: &Option<Span>| span.is_some();
            linted.policies = [
                ("policy", policies.definitions.iter().map(|own| own.span).filter(is_own).count()),
                ("initiative", policies.initiatives.iter().map(|own| own.span).filter(is_own).count()),
                ("assignment", policies.assignments.len()),
                ("exemption", policies.exemptions.len()),
            ];
        }
        self.diagnostics.extend(problems(&policies));
        let suggestions = Suggestions::default();
        let own = policies.definitions.iter().filter(|definition| definition.span.is_some());
        for problem in own.flat_map(|definition| policy::lint::lint(definition, &suggestions)) {
            let diagnostic = problem.span.map(|span| Diagnostic::new(Code::RuleSuspicious, span, problem.message));
            self.diagnostics.extend(diagnostic);
        }
    }

    /// Warns of types and properties in the rule files that no cloud has.
    fn lint(&mut self) {
        // What rules of Guard 3 name are keys of a template, and no cloud knows which of them are properties.
        let rules = self.rules.iter().filter(|rule| !matches!(rule, Rule::Guard3(_)));
        let mut files: Vec<FileId> = rules.filter_map(|rule| Some(rule.info().definition?.file)).collect();
        files.dedup();
        for file in files {
            let source = self.sources.get(file);
            let is_ruleset = has_extension(Path::new(&**source.name()), GUARD_EXTENSIONS);
            let lint = if is_ruleset { guard::lint(file, source.text()) } else { json::lint(file, source.text()) };
            self.diagnostics.extend(lint);
        }
    }

    /// Reports and settings name rules by their ids, so two files should not use the same. Within one file, the
    /// parser of the rule language checks this.
    fn report_duplicates(&mut self) {
        let mut known: HashMap<String, Option<Span>> = HashMap::default();
        for rule in &self.rules {
            let info = rule.info();
            let first = *known.entry(info.id.to_lowercase()).or_insert(info.definition);
            let Some(span) = info.definition.filter(|span| first.is_none_or(|first| first.file != span.file)) else {
                continue;
            };
            let message = format!("another rule has the id `{}`, too", info.id);
            let diagnostic = Diagnostic::new(Code::RuleSuspicious, span, message);
            self.diagnostics.push(match first {
                Some(first) => diagnostic.with_label(first, "the other rule"),
                None => diagnostic.with_help("the other is embedded; `--no-builtin-rules` omits it"),
            });
        }
    }

    fn report_unknown_ids(&mut self) {
        let settings = self.source.settings;
        let of_rules = self.rules.iter().map(|rule| Arc::clone(rule.info()));
        let known: Vec<Arc<RuleInfo>> = of_rules.chain(infos_of_checks()).collect();
        let suggestions = Suggestions::default();
        for pattern in settings.include.iter().chain(&settings.exclude) {
            if let Some(message) = unknown_rule(pattern, &known, &suggestions) {
                let problem = Diagnostic::new(Code::ConfigInvalid, pattern.span, message);
                self.diagnostics.push(problem.with_level(Level::Warning));
            }
        }
    }

    /// Returns all rules that have been read, the checks, and the embedded rules even if they do not run.
    fn known_rules(&self) -> Vec<Arc<RuleInfo>> {
        let own = self.rules.iter().map(|rule| Arc::clone(rule.info()));
        let mut known: Vec<Arc<RuleInfo>> = own.chain(infos_of_checks()).collect();
        if !self.has_builtin {
            let mut builtin = Loader {
                rules: Vec::new(),
                policies: Gathering::default(),
                diagnostics: Vec::new(),
                files: HashMap::default(),
                mappings: Vec::new(),
                linted: None,
                ..*self
            };
            builtin.read_builtin();
            known.extend(builtin.rules.iter().map(|rule| Arc::clone(rule.info())));
        }
        known
    }

    /// Returns the rules and checks that run. Checks that are advice are embedded rules in this respect.
    fn select(self) -> (LoadedRules, Vec<Diagnostic>) {
        let settings = self.source.settings;
        let known = self.known_rules();
        let names = |list: &[RulePattern], info: &RuleInfo| list.iter().any(|pattern| pattern.matches(info));
        // Who names a rule wants to hear all that it has to say.
        let is_named =
            |info: &RuleInfo| settings.include.iter().any(|pattern| !pattern.is_wildcard() && pattern.matches(info));
        let profile = self.source.choices.profile.unwrap_or_default();
        let is_selected = |info: &RuleInfo| {
            (settings.include.is_empty() || names(&settings.include, info))
                && !names(&settings.exclude, info)
                && (info.definition.is_some() || profile.has(&info.details) || is_named(info))
        };
        let rules = self.rules.into_iter().filter(|rule| is_selected(rule.info()));
        let rules: Vec<Rule> = rules.map(|rule| with_severity(rule, settings, profile)).collect();
        // A selection of rules does not hide that a part of the template could not be evaluated for them.
        let is_always_run = |check: &Check| {
            (check.is_of_problems() || check.kind() == CheckKind::Policy) && !names(&settings.exclude, &check.info())
        };
        let is_run = |check: &Check| {
            let is_selected = |info: &RuleInfo| {
                is_selected(info) || *check == BICEP_WARNING && bicep_codes::infos().any(|info| is_selected(&info))
            };
            is_always_run(check) || ((self.has_builtin || check.is_of_platform()) && is_selected(&check.info()))
        };
        let checks = CHECKS.iter().filter(is_run);
        let reports_all = |check: Check| profile == Profile::All || is_named(&check.info());
        let selected = |check: Check| {
            let is_severity_set = other_severity(&check.info(), settings).is_some();
            let selected = Selected::new(described(check, settings), reports_all(check), is_severity_set);
            if check != BICEP_WARNING {
                return selected;
            }
            let codes =
                bicep_codes::infos().filter(|info| is_selected(info) && !names(&settings.exclude, &check.info()));
            let described = |info: RuleInfo| {
                let severity = other_severity(&info, settings).unwrap_or(info.severity);
                Some((BicepCode::read_id(&info.id)?, Arc::new(RuleInfo { severity, ..info })))
            };
            selected.with_codes(codes.filter_map(described).collect())
        };
        let checks: Checks = checks.map(|check| (check, selected(check))).collect();
        let of_checks = checks.values().map(|selected| &selected.info);
        let mut infos: Vec<Arc<RuleInfo>> = rules.iter().map(Rule::info).chain(of_checks).cloned().collect();
        infos.sort_by(|a, b| a.id.cmp(&b.id));
        let is_fixed = |info: &&Arc<RuleInfo>| other_severity(info, settings).is_some();
        let fixed_severities = infos.iter().filter(is_fixed).map(|info| info.id.clone()).collect();
        (LoadedRules { rules, checks, fixed_severities, infos, known }, self.diagnostics)
    }
}

/// Returns the rule with the severity of the settings, or else of the profile.
fn with_severity(rule: Rule, settings: &RuleSettings, profile: Profile) -> Rule {
    let info = rule.info();
    let severity = other_severity(info, settings).unwrap_or_else(|| profile.severity(info.severity, &info.details));
    if severity == info.severity { rule } else { rule.with_severity(severity) }
}

/// Returns the texts of a check, with the severity of the settings.
fn described(check: Check, settings: &RuleSettings) -> Arc<RuleInfo> {
    let info = check.info();
    let severity = other_severity(&info, settings).unwrap_or(info.severity);
    Arc::new(RuleInfo { severity, ..info })
}

/// Returns the severity in the settings, where the last entry that means the rule wins.
fn other_severity(info: &RuleInfo, settings: &RuleSettings) -> Option<Severity> {
    let of_rule = settings.severity.iter().rev().find(|(pattern, _)| pattern.matches(info));
    of_rule.map(|&(_, severity)| severity)
}

fn infos_of_checks() -> impl Iterator<Item = Arc<RuleInfo>> {
    CHECKS.iter().map(Check::info).chain(bicep_codes::infos()).map(Arc::new)
}

/// Returns a message about the name of a rule that no rule has. `None` if a rule has it.
fn unknown_rule(pattern: &RulePattern, known: &[Arc<RuleInfo>], suggestions: &Suggestions) -> Option<String> {
    if known.iter().any(|info| pattern.matches(info)) {
        return None;
    }
    let what = if pattern.is_wildcard() { "no rule matches" } else { "there is no rule" };
    let names = known.iter().flat_map(|info| [info.id.as_str(), info.name.as_str()]);
    Some(format!("{what} `{}`{}", pattern.text, suggestions.did_you_mean(&pattern.text, names)))
}

/// Returns `true` if a value is a list of rules of Template Analyzer, or one of them: each has an `evaluation`.
fn has_rules(value: &Value) -> bool {
    value.as_array().unwrap_or(std::slice::from_ref(value)).iter().any(|rule| rule.get("evaluation").is_some())
}

/// Returns `true` if a value is a definition of a role, as the REST API or the Azure CLI has it.
fn is_role(value: &Value) -> bool {
    let own = value.get("properties").unwrap_or(value);
    own.get("assignableScopes").is_some() && ["actions", "permissions"].iter().any(|name| own.get(name).is_some())
}

/// Returns `true` if a file that settings name was meant to have rules. No text is quoted from any other file: it may
/// have a secret.
fn is_meant_as_rules(path: &Path, bytes: &[u8]) -> bool {
    let has_evaluation = || bytes.to_ascii_lowercase().windows(EVALUATION.len()).any(|word| word == EVALUATION);
    is_rule_file(path) && (has_extension(path, GUARD_EXTENSIONS) || has_evaluation() || guard3::may_be_mapping(bytes))
}

fn is_rule_file(path: &Path) -> bool {
    has_extension(path, JSON_EXTENSIONS) || has_extension(path, GUARD_EXTENSIONS)
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}
