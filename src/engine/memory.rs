//! A check of one template that is held in memory: no file, process, environment or clock is used.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arcstr::ArcStr;
use foldhash::HashSet;

use crate::diagnostic::{Analysed, Check, Code, Diagnostic, Level, Outcome, ResourceTree, RuleInfo, Run, Summary};
use crate::engine::detect;
use crate::engine::findings::{Checks, Draft, Drafting, Selected, drafts, drop_excluded, internal_fault, is_whole};
use crate::engine::frontend::{FrontEnds, Subject};
use crate::engine::merge::{merge, merge_diagnostics, sort_diagnostics};
use crate::engine::parse::{Reading, not_a_template};
use crate::engine::suppress::{self, Known, Suppressing};
use crate::engine::tree::Planted;
use crate::model::{Assumptions, Budget, Expansion, Limits, Offline};
use crate::rules::{Rule, RuleSet, Verdict, guard, json};
use crate::text::{FileId, Sources};
use crate::value::Value;

/// How much the stack of a thread that expands templates holds. In a build that is not optimized a level of evaluation takes
/// up to 7 KiB (`tests/bombs.rs` measures it), so there is room for twice as many as settings can allow. Only what is used
/// takes memory.
#[cfg(not(target_family = "wasm"))]
pub(super) const STACK_BYTES: usize = 64 << 20;

/// The content of a file in memory and the name that reports show for it.
#[derive(Clone, Debug)]
pub(crate) struct NamedText {
    /// The name. Its extension determines the language if the content is ambiguous.
    pub name: Arc<str>,
    /// The content, which need not be valid.
    pub text: ArcStr,
}

/// Compiled rules with their sources, for any number of checks.
#[derive(Debug)]
pub(crate) struct RuleBook {
    pub(super) set: RuleSet,
    pub(super) checks: Checks,
    infos: Vec<Arc<RuleInfo>>,
    texts: Vec<NamedText>,
    suppressing: Suppressing,
}

impl RuleBook {
    /// The embedded rules of the default profile and the checks of deployments, if `has_builtin`, and the rules in `texts`.
    /// Guard rulesets are recognized by their extension. The rules are usable only if no diagnostic is an error; the diagnostics point
    /// into the texts of the run.
    pub(crate) fn new(has_builtin: bool, texts: &[NamedText]) -> (Self, Run) {
        let sources = Sources::new();
        let mut book = Self {
            set: RuleSet::new([] as [Rule; 0]),
            checks: Checks::default(),
            infos: Vec::new(),
            texts: Vec::new(),
            suppressing: Suppressing::default(),
        };
        let (mut rules, mut diagnostics) = (Vec::new(), Vec::new());
        if has_builtin {
            for &(name, text) in formwork_builtin::FILES {
                let text = NamedText { name: Arc::from(format!("builtin/{name}")), text: ArcStr::from(text) };
                rules.extend(book.parse(text, &sources, &mut diagnostics).into_iter().map(Rule::embedded));
            }
        }
        let checks = Check::ALL.iter().filter(|check| has_builtin || check.is_of_problems());
        book.checks = checks.map(|&check| (check, Selected::by_default(check))).collect();
        for text in texts {
            rules.extend(book.parse(text.clone(), &sources, &mut diagnostics));
        }
        let of_checks = book.checks.values().map(|selected| &selected.info);
        book.infos = rules.iter().map(Rule::info).chain(of_checks).cloned().collect();
        book.infos.sort_by(|a, b| a.id.cmp(&b.id));
        // A suppression may name a rule of another profile.
        book.suppressing.known = Known::new(book.infos.clone());
        let is_of_profile = |info: &RuleInfo| info.definition.is_some() || !info.details.is_optional;
        book.infos.retain(|info| is_of_profile(info));
        rules.retain(|rule| is_of_profile(rule.info()));
        book.set = RuleSet::new(rules);
        (book, Run { sources, diagnostics, ..Run::default() })
    }

    fn parse(&mut self, text: NamedText, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Vec<Rule> {
        let file = sources.add(Arc::clone(&text.name), text.text.clone());
        let is_guard = [".guard", ".ruleset"].iter().any(|extension| text.name.ends_with(extension));
        let rules = if is_guard {
            let (rules, problems) = guard::parse(file, &text.name, &text.text, &BTreeMap::new());
            diagnostics.extend(problems);
            rules.into_iter().map(Rule::from).collect()
        } else {
            let (rules, problems) = json::parse(file, &text.text);
            diagnostics.extend(problems);
            rules.into_iter().map(Rule::from).collect()
        };
        self.texts.push(text);
        rules
    }

    /// The sources for a check, in the order that the spans of the rules expect.
    pub(super) fn sources(&self) -> Sources {
        let sources = Sources::new();
        for NamedText { name, text } in &self.texts {
            sources.add(Arc::clone(name), text.clone());
        }
        sources
    }
}

/// What the expansion of a template gives.
struct Unit {
    drafts: Vec<Draft>,
    tree: ResourceTree,
    resources: usize,
    is_whole: bool,
}

/// A template in memory and what to check it with.
#[derive(Debug)]
pub(crate) struct InMemory<'a> {
    /// The template to check.
    pub template: &'a NamedText,
    /// Parameter files, of which later ones override earlier ones.
    pub parameters: &'a [NamedText],
    /// What is known about the environment that would be deployed to.
    pub assumptions: &'a Assumptions,
    /// Whether verdicts that passed are kept. They are counted in any case.
    pub keep_passed: bool,
    /// Bounds of the check.
    pub limits: &'a Limits,
}

impl InMemory<'_> {
    /// Checks the template. Links to other files are not followed, and are reported as diagnostics.
    pub(crate) fn check(&self, rules: &RuleBook) -> Run {
        let run = on_deep_stack(|| {
            let check = AssertUnwindSafe(|| self.check_here(rules));
            catch_unwind(check).unwrap_or_else(|_| self.failed_run())
        });
        run.unwrap_or_else(|_| self.failed_run())
    }

    /// The result where formwork itself failed.
    fn failed_run(&self) -> Run {
        let sources = Sources::new();
        let file = sources.add(Arc::clone(&self.template.name), self.template.text.clone());
        let summary = Summary { errors: 1, ..Summary::default() };
        Run { sources, diagnostics: vec![internal_fault(file)], summary, ..Run::default() }
    }

    fn check_here(&self, rules: &RuleBook) -> Run {
        let sources = rules.sources();
        let mut diagnostics = Vec::new();
        let unit = self.unit(rules, &sources, &mut diagnostics);
        let mut diagnostics = merge_diagnostics(diagnostics);
        sort_diagnostics(&mut diagnostics, &sources);
        let mut summary = Summary { rules: rules.infos.len(), ..Summary::default() };
        summary.errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).count();
        let mut run = Run { sources, diagnostics, rules: rules.infos.clone(), summary, ..Run::default() };
        let Some(unit) = unit else { return run };
        let mut findings = merge(unit.drafts, &self.template.name);
        for finding in &findings {
            run.summary.count(finding.outcome, finding.places());
        }
        findings.retain(|finding| self.keep_passed || finding.outcome != Outcome::Passed);
        run.findings = findings;
        run.trees = vec![unit.tree];
        run.summary = Summary { templates: 1, deployments: 1, resources: unit.resources, ..run.summary };
        run.analysed = vec![Analysed {
            template: Arc::clone(&self.template.name),
            parameters: self.parameter_names(),
            is_usual: true,
            is_whole: unit.is_whole && run.summary.errors == 0,
        }];
        self.suppress(&mut run, rules);
        run
    }

    fn suppress(&self, run: &mut Run, rules: &RuleBook) {
        let before = rules.sources().ids().last();
        let context = suppress::Context {
            suppressing: &rules.suppressing,
            checks: &rules.checks,
            roots: &HashSet::from_iter([Arc::clone(&self.template.name)]),
            nesting: self.limits.nesting,
            // The caller isolates the whole check.
            isolated: &|_, work| work(),
            #[cfg(feature = "cli")]
            absolute: &|name| name.into(),
            stable: &str::to_owned,
        };
        let texts = run.sources.ids().filter(|file| before.is_none_or(|before| *file > before));
        let of_texts = texts.map(|file| suppress::of_text(run, file, &context)).collect();
        suppress::apply(run, of_texts, &context);
    }

    /// What the template gives. `None` if it cannot be expanded.
    fn unit(&self, rules: &RuleBook, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Unit> {
        let (file, template) = self.parse(self.template, sources, diagnostics);
        let files: Vec<(FileId, Option<Value>)> =
            self.parameters.iter().map(|text| self.parse(text, sources, diagnostics)).collect();
        let template = template?;
        let kind = detect::kind(&template, true).filter(|kind| !kind.is_of_parameters());
        let Some(kind) = kind else {
            diagnostics.push(not_a_template(&template, file));
            return None;
        };
        diagnostics.extend(detect::schema_problem(&template, kind, file));
        let given: Vec<(FileId, &Value)> =
            files.iter().filter_map(|(file, value)| Some((*file, value.as_ref()?))).collect();
        let subject = Subject { file, name: &self.template.name, kind, value: &template };
        let front_ends = FrontEnds::new(self.assumptions, &[], false, self.limits);
        let expansion = front_ends.expand(subject, &given, &Offline, sources, &Budget::new(self.limits));
        let is_whole = is_whole(&expansion);
        let Expansion { document, issues, diagnostics: mut problems } = expansion;
        drop_excluded(&mut problems, &rules.checks);
        diagnostics.extend(problems);
        let document = document?;
        document.hidden.spans().iter().for_each(|&span| sources.hide(span));
        let planted = Planted::of(&document, (file, None), |span| span, sources);
        let drafting = Drafting::new(&document, &self.template.name, None, self.keep_passed, &|span| span);
        let as_draft = |verdict: Verdict| {
            let subjects = planted.subjects(&verdict);
            let mut draft = drafting.draft(verdict, None);
            draft.parameters = self.parameter_names().into_iter().collect();
            draft.subjects.extend(subjects);
            draft
        };
        let resources = document.resources.len();
        let drafts = drafts(issues, &document, &rules.set, &rules.checks, as_draft).into_iter().flatten().collect();
        Some(Unit { drafts, tree: planted.tree, resources, is_whole })
    }

    fn parameter_names(&self) -> Vec<Arc<str>> {
        self.parameters.iter().map(|file| Arc::clone(&file.name)).collect()
    }

    fn parse(
        &self,
        NamedText { name, text }: &NamedText,
        sources: &Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> (FileId, Option<Value>) {
        if text.len() as u64 > self.limits.file_bytes {
            let file = sources.add(Arc::clone(name), "");
            let message = format!("the text has more than {} bytes", self.limits.file_bytes);
            diagnostics.push(Diagnostic::of_file(Code::FileTooLarge, file, message));
            return (file, None);
        }
        let file = sources.add(Arc::clone(name), text.clone());
        let parsed = Reading::of(Path::new(&**name), file, text, self.limits.nesting).into_chosen(true);
        diagnostics.extend(parsed.diagnostics);
        (file, parsed.value)
    }
}

/// Runs `work` on a thread whose stack is deep enough for whatever the limits allow. Fails if the operating system starts
/// none.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Runs `work` on the only thread there is. The linker decides about its stack.
#[cfg(target_family = "wasm")]
pub(crate) fn on_deep_stack<T>(work: impl FnOnce() -> T) -> io::Result<T> {
    Ok(work())
}
