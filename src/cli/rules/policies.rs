//! Runs the unit tests of Azure policies in `formwork rules test`.
//!
//! A file has an array of tests in YAML or JSON, like those of cfn-guard: each has a resource or a template, and says under
//! `expectations.policies` what each policy does with it.

use std::path::{Path, PathBuf};

use crate::cli::args::RulesTestArguments;
use crate::cli::exit::Error;
use crate::cli::rules::units;
use crate::cli::settings::Workspace;
use crate::cli::verdicts::STRENGTH;
use crate::config::Given;
use crate::diagnostic::{Check, Finding, Level};
use crate::engine::{self, Expanded, Governance, Inputs, Isolation, Piped, tried};
use crate::files::{Disk, PathFilter, display_name};
use crate::policy::{Outcome, Policies, Standing, Verdict};
use crate::report::{SuiteResult, TestResult};
use crate::syntax::yaml;
use crate::text::escape::{file_name, visible};
use crate::text::{Sources, Span, Suggestions};
use crate::value::{Member, Value};

/// The extensions of files with tests.
const TEST_EXTENSIONS: &[&str] = &["yaml", "yml", "json"];

/// A unit test of policies.
struct PolicyTest {
    name: String,
    input: Input,
    /// The values of the parameters of definitions that nothing assigns.
    parameters: Option<Value>,
    expectations: Vec<Member>,
}

/// What the policies of a test judge.
enum Input {
    /// A resource or a template, which the test has.
    Written(Value),
    /// The file of a template, below the folder of the test.
    File(PathBuf),
}

/// Runs all unit tests of policies in the given folders and files. Empty if there are none.
pub(super) fn run(arguments: &RulesTestArguments, workspace: &mut Workspace<'_>) -> Result<Vec<SuiteResult>, Error> {
    let working = &workspace.environment.working;
    let mut suites = Vec::new();
    let mut known: Option<(PathBuf, Policies)> = None;
    for path in units::files(&arguments.dirs, working, TEST_EXTENSIONS) {
        let Some(text) = units::read(&path, workspace).filter(|text| text.contains("expectations")) else { continue };
        let name = display_name(working, &path);
        let file = workspace.sources.add(name.as_str(), text);
        let parsed = yaml::parse(file, workspace.sources.get(file).text(), workspace.limits.nesting);
        let Some(tests) = parsed.value.as_ref().and_then(tests) else { continue };
        let home = units::home(&path).to_path_buf();
        let policies = match known.take() {
            Some((of, policies)) if of == home => policies,
            _ => policies(arguments, &home, workspace)?,
        };
        let bench = Bench { arguments, workspace, folder: path.parent().unwrap_or(&home), policies: &policies };
        let result = |test: PolicyTest| {
            let failure = bench.failure(&test)?;
            Ok(TestResult { name: test.name, failure })
        };
        let tests = tests.into_iter().map(result).collect::<Result<Vec<_>, Error>>()?;
        suites.push(SuiteResult { name, tests });
        known = Some((home, policies));
    }
    Ok(suites)
}

/// The policies to test: those of the arguments, else those of the settings, else those beside the tests.
fn policies(arguments: &RulesTestArguments, home: &Path, workspace: &mut Workspace<'_>) -> Result<Policies, Error> {
    let mut paths = arguments.policy.clone();
    if !paths.is_empty() {
        workspace.settings.policy.paths.clear();
    } else if workspace.settings.policy.paths.is_empty() {
        paths.push(home.to_path_buf());
    }
    workspace.policies(&Given { policy: paths, ..Given::default() }, &arguments.bicep, false)
}

/// The tests of a file. `None` if it has something else.
fn tests(document: &Value) -> Option<Vec<PolicyTest>> {
    let tests = document.as_array()?;
    tests.iter().find_map(expectations)?;
    let test = |(number, test): (usize, &Value)| {
        let name = test.get("name").and_then(Value::as_str);
        let file = test.get("template").and_then(Value::as_str);
        PolicyTest {
            name: name.map_or_else(|| number.to_string(), str::to_owned),
            input: match file {
                Some(file) => Input::File(PathBuf::from(file)),
                None => Input::Written(test.get("input").cloned().unwrap_or(Value::NULL)),
            },
            parameters: test.get("parameters").cloned(),
            expectations: expectations(test).unwrap_or_default(),
        }
    };
    Some((1..).zip(tests).map(test).collect())
}

/// What a test expects of policies, by their names.
fn expectations(test: &Value) -> Option<Vec<Member>> {
    let all = test.get("expectations")?.get("policies")?.as_object()?;
    Some(all.iter().cloned().collect())
}

/// What the tests of a file run with.
struct Bench<'a> {
    arguments: &'a RulesTestArguments,
    workspace: &'a Workspace<'a>,
    folder: &'a Path,
    policies: &'a Policies,
}

impl Bench<'_> {
    /// What is wrong with a test. `None` if it passes.
    fn failure(&self, test: &PolicyTest) -> Result<Option<String>, Error> {
        let name = visible(&test.name).into_owned();
        let wrong = |complaint: &str| Ok(Some(format!("{name}: {}", visible(complaint))));
        let tried = match self.tried(test) {
            Ok(tried) => tried,
            Err(complaint) => return wrong(&complaint),
        };
        let policies = tried.as_ref().unwrap_or(self.policies);
        let Some(governance) = self.workspace.governance(policies) else { return wrong("there are no policies") };
        if test.expectations.is_empty() {
            return wrong("it expects nothing; name policies under `expectations.policies`");
        }
        let expanded = match self.expand(&test.input)? {
            Ok(expanded) => expanded,
            Err(complaint) => return wrong(&complaint),
        };
        let Some(document) = &expanded.expansion.document else { return wrong("the input cannot be evaluated") };
        let judged = governance.judge(document)?;
        let verdicts: Vec<&Verdict> = judged.iter().flat_map(|(_, judged)| &judged.verdicts).collect();
        let mut problems =
            test.expectations.iter().filter_map(|expected| self.problem(expected, &governance, &verdicts));
        Ok(problems.next().map(|(place, complaint)| format!("{place}{name}: {}", visible(&complaint))))
    }

    /// The policies with what the test gives to their parameters. `None` if there are assignments, which decide.
    fn tried(&self, test: &PolicyTest) -> Result<Option<Policies>, String> {
        let policies = self.policies;
        if !policies.assignments.is_empty() {
            let is_free = test.parameters.is_none();
            return if is_free { Ok(None) } else { Err("an assignment gives the parameters their values".to_owned()) };
        }
        let declared = || {
            let of_definitions = policies.definitions.iter().flat_map(|definition| &definition.parameters);
            of_definitions.chain(policies.initiatives.iter().flat_map(|initiative| &initiative.parameters))
        };
        for given in test.parameters.as_ref().and_then(Value::as_object).into_iter().flatten() {
            if !declared().any(|parameter| parameter.name.eq_ignore_ascii_case(&given.key)) {
                let hint = Suggestions::default().did_you_mean(&given.key, declared().map(|own| &*own.name));
                return Err(format!("no policy has a parameter `{}`{hint}", given.key));
            }
        }
        let (definitions, initiatives) = (policies.definitions.clone(), policies.initiatives.clone());
        let assignments = tried(policies, test.parameters.as_ref());
        Ok(Some(Policies { definitions, initiatives, assignments, ..Policies::default() }))
    }

    /// What an input deploys, or why it cannot be evaluated.
    fn expand(&self, input: &Input) -> Result<Result<Expanded, String>, Error> {
        let (paths, stdin) = match input {
            Input::File(file) => (vec![self.folder.join(file)], None),
            Input::Written(value) => {
                let bytes = deployed(value).to_json().into_bytes();
                (Vec::new(), Some(Piped { name: "input.json".to_owned(), bytes }))
            }
        };
        let inputs = Inputs {
            host: &Disk,
            cache: None,
            working: &self.workspace.environment.working,
            paths: &paths,
            stdin,
            parameters: &[],
            merges_parameters: false,
            overrides: &[],
            assumptions: &self.workspace.assumptions(),
            as_written: false,
            filter: &PathFilter::default(),
            bicep: &self.workspace.bicep(&self.arguments.bicep)?,
            narrowing: None,
            shard: None,
            isolation: Isolation::alone(),
            limits: &self.workspace.limits,
        };
        let (expanded, mut problems) = engine::expand(&inputs, &self.workspace.sources)?;
        problems.extend(expanded.iter().flat_map(|expanded| expanded.expansion.diagnostics.iter().cloned()));
        let errors = problems.iter().filter(|problem| problem.level == Level::Error);
        let errors = errors.map(|problem| &problem.message);
        // A resource needs no `apiVersion` here.
        let is_wrong = |finding: &&Finding| finding.rule.id != Check::TemplateShape.id();
        let findings = expanded.iter().flat_map(|expanded| &expanded.problems).filter(is_wrong);
        let mut wrong = errors.chain(findings.map(|finding| &finding.message));
        if let Some(why) = wrong.next() {
            return Ok(Err(format!("the input cannot be evaluated: {why}")));
        }
        Ok(expanded.ok_or_else(|| "the input is neither a resource nor a template".to_owned()))
    }

    /// What is wrong with an expectation, and its place in front of it. `None` if it is met.
    fn problem(
        &self,
        expected: &Member,
        governance: &Governance<'_>,
        verdicts: &[&Verdict],
    ) -> Option<(String, String)> {
        let place = || expected.span().map_or_else(String::new, |span| place(span, &self.workspace.sources));
        let (name, wanted) = (&expected.key, expected.value.as_str().unwrap_or_default());
        let Some(wanted) = STRENGTH.iter().find(|known| known.eq_ignore_ascii_case(wanted)) else {
            let complaint = format!("{} is not an outcome; expected {}", expected.value.to_json(), STRENGTH.join(", "));
            return Some((place(), complaint));
        };
        let meant = governance.meant(name);
        if meant.is_empty() {
            return Some((place(), format!("there is no policy `{name}`{}", governance.suggestion(name))));
        }
        let is_meant =
            |verdict: &&&Verdict| meant.contains(&(verdict.assignment, &*verdict.reference, &*verdict.definition));
        let of_this = || verdicts.iter().filter(is_meant);
        let found = STRENGTH.iter().find(|effect| of_this().any(|verdict| outcome(verdict) == **effect));
        let found = found.copied().unwrap_or("none");
        if found == *wanted {
            return None;
        }
        let why = of_this().find(|verdict| outcome(verdict) == found).map(|verdict| verdict.why.as_str());
        let why = why.filter(|why| !why.is_empty()).map_or_else(String::new, |why| format!(", because {why}"));
        Some((place(), format!("`{name}` is `{found}`{why}; expected `{wanted}`")))
    }
}

/// Where something is written, for the start of a message.
fn place(span: Span, sources: &Sources) -> String {
    let (at, _) = sources.range(span);
    let file = sources.get(span.file);
    format!("{}:{}:{}: ", file_name(file.name()), at.line, at.column)
}

/// What a policy does, where its assignment applies.
fn outcome(verdict: &Verdict) -> &'static str {
    match (verdict.standing, verdict.outcome) {
        (Standing::Applies | Standing::Conditional, Outcome::Effect(effect)) => effect.as_str(),
        (Standing::Applies | Standing::Conditional, Outcome::Unknown) => "unknown",
        _ => "none",
    }
}

/// A template that deploys an input: itself, if it is one or has resources as they are exported, with their IDs.
fn deployed(input: &Value) -> Value {
    let has_id = |value: &Value| value.get("id").is_some();
    let resources = match input.as_array() {
        Some(items) if items.iter().all(has_id) => return input.clone(),
        Some(items) => items.to_vec(),
        None if input.get("resources").is_some() && input.get("type").is_none() => return input.clone(),
        None if has_id(input) => return Value::array(vec![input.clone()]),
        None => vec![input.clone()],
    };
    let is_group = |resource: &Value| {
        let of = resource.get("type").and_then(Value::as_str).unwrap_or_default();
        of.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups")
    };
    let kind = if resources.iter().any(is_group) { "subscriptionDeploymentTemplate" } else { "deploymentTemplate" };
    let schema = format!("https://schema.management.azure.com/schemas/2019-04-01/{kind}.json#");
    Value::object(vec![
        Member::new("$schema", Value::from(schema)),
        Member::new("contentVersion", Value::from("1.0.0.0")),
        Member::new("resources", Value::array(resources)),
    ])
}
