//! Reads the rules, the policies, and the baseline of a check.

use crate::diagnostic::{Diagnostic, Level, RulePattern, Run};
use crate::engine::Observer;
use crate::engine::azure_policy::PolicySource;
use crate::engine::compiled::{CompiledRules, GuardMode, RuleProblems};
use crate::engine::rules::RuleSource;
use crate::engine::session::baseline::RunBaseline;
use crate::engine::session::{Error, Session};
use crate::text::{Sources, Span};

impl Session<'_> {
    /// Reads the rules and the policies. Also returns the problems of policies that are used nevertheless.
    ///
    /// # Errors
    ///
    /// Fails if a rule or a policy is invalid, of which the observer is notified.
    pub(super) fn load_rules(&mut self, observer: &dyn Observer) -> Result<(CompiledRules, Vec<Diagnostic>), Error> {
        self.add_rule_patterns();
        let (given, settings) = (&self.options.given, &self.settings);
        let (rule_paths, policy_paths) = (self.change.locate_all(&given.rules), self.change.locate_all(&given.policy));
        let rules = RuleSource {
            working: self.change.working(),
            tree: self.policy.tree(),
            choices: self.choices,
            needs_texts: self.options.describes_rules,
            paths: &rule_paths,
            settings: &settings.rules,
            environment: &self.options.variables,
            limits: &settings.limits,
        };
        let of_settings = settings.policy.parameters.as_ref().map(|(path, _)| path.clone());
        let parameters = given.policy_parameters.as_deref().map(|path| self.change.locate(path)).or(of_settings);
        let inputs = self.inputs();
        let policies = PolicySource {
            working: self.change.working(),
            tree: self.policy.tree(),
            paths: &policy_paths,
            tries_unassigned: true,
            parameters: parameters.as_deref(),
            settings: &settings.policy.paths,
            environments: &settings.policy.environments,
            limits: &settings.limits,
            // Templates are built from what is checked out.
            templates: if self.policy.is_of_base() {
                Err("with the settings of the base, the policies that templates deploy are not read")
            } else {
                Ok(&inputs)
            },
        };
        let guard = GuardMode { is_strict: self.options.guard_strict, is_raw: self.options.as_written };
        // Evaluation needs the stack of these threads.
        let loaded = self.threads.install(|| CompiledRules::load((&rules, &policies), guard, &self.sources));
        let (rules, RuleProblems { of_rules, of_policies }) = loaded;
        refuse_errors(of_rules, &mut self.sources, observer)?;
        let is_usable = of_policies.iter().all(|problem| problem.level != Level::Error);
        let (notes, refused) = if is_usable { (of_policies, Vec::new()) } else { (Vec::new(), of_policies) };
        refuse_errors(refused, &mut self.sources, observer)?;
        Ok((rules, notes))
    }

    /// Adds the rules that the options select to those of the settings.
    fn add_rule_patterns(&mut self) {
        let (given, sources) = (&self.options.given, &self.sources);
        let settings = &mut self.settings.rules;
        if !given.rules_include.is_empty() {
            settings.include = patterns("--rules-include", &given.rules_include, sources);
        }
        settings.exclude.extend(patterns("--rules-exclude", &given.rules_exclude, sources));
    }

    /// Reads the baseline.
    ///
    /// # Errors
    ///
    /// Fails if the baseline is invalid, of which the observer is notified, or must not be written where the options
    /// say.
    pub(super) fn open_baseline(&mut self, observer: &dyn Observer) -> Result<RunBaseline, Error> {
        let of_settings = self.settings.baseline.clone();
        let (baseline, problems) = RunBaseline::open(
            self.options,
            (&self.change, &self.policy),
            of_settings,
            &self.settings.limits,
            &self.sources,
        )?;
        refuse_errors(problems, &mut self.sources, observer)?;
        Ok(baseline)
    }

    /// Returns the problems to report that are not about templates: those of policies, and what the change does to
    /// settings. If the run is divided into shards, only the first shard reports those of policies.
    pub(super) fn notes(&self, of_policies: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Error> {
        let settings = (&self.settings, self.basis.as_slice());
        let mut notes = self.policy.notes(self.options, &self.change, settings, &self.sources)?;
        if self.options.shard.is_none_or(|shard| shard.index <= 1) {
            notes.extend(of_policies);
        }
        Ok(notes)
    }
}

/// Returns the patterns of rules in the values of a flag.
fn patterns(flag: &str, ids: &[String], sources: &Sources) -> Vec<RulePattern> {
    let pattern =
        |id: &String| RulePattern { text: id.clone(), span: Span::whole_file(sources.add(format!("{flag}={id}"), "")) };
    ids.iter().map(pattern).collect()
}

/// Notifies the observer of problems. Fails if one of them is an error.
pub(super) fn refuse_errors(
    problems: Vec<Diagnostic>,
    sources: &mut Sources,
    observer: &dyn Observer,
) -> Result<(), Error> {
    if problems.is_empty() {
        return Ok(());
    }
    let has_error = problems.iter().any(|problem| problem.level == Level::Error);
    // Reports take a run, so the sources are moved into one for a moment.
    let run = Run { sources: std::mem::take(sources), diagnostics: problems, ..Run::default() };
    observer.problems(&run);
    *sources = run.sources;
    if has_error { Err(Error::Unusable) } else { Ok(()) }
}
