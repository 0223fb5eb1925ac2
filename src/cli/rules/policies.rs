//! Runs the unit tests of Azure policies in `formwork rules test`.
//!
//! A file contains an array of tests in YAML or JSON, similar to those of cfn-guard. Each test has a resource or a
//! template, and the expected outcome of each policy under `expectations.policies`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::args::RulesTestArguments;
use crate::cli::exit::Error;
use crate::cli::rules::units;
use crate::cli::settings::Workspace;
use crate::cli::verdicts::STRENGTH;
use crate::config::Given;
use crate::diagnostic::common_checks::TEMPLATE_SHAPE;
use crate::diagnostic::{Code, Diagnostic, Finding, Level};
use crate::engine::{self, Expanded, Governance, Inputs, Piped, tried};
use crate::files::{Bounds, Disk, Fence, Folders, display_name};
use crate::path::normalize;
use crate::policy::{Outcome, Policies, Standing, Verdict};
use crate::report::{SuiteResult, TestResult};
use crate::syntax::yaml;
use crate::text::escape::{file_name, visible};
use crate::text::{Sources, Span, Suggestions};
use crate::value::{Member, Value};

/// Extensions of files with tests.
const TEST_EXTENSIONS: &[&str] = &["yaml", "yml", "json"];

/// A file with unit tests of policies.
struct PolicyTestFile {
    path: PathBuf,
    name: String,
    /// The folder of the policies to test, unless the arguments or settings name policies.
    home: PathBuf,
    tests: Vec<PolicyTest>,
}

/// A unit test of policies.
struct PolicyTest {
    name: String,
    input: PolicyTestInput,
    /// The parameter values of definitions without an assignment.
    parameters: Option<Value>,
    expectations: Vec<Member>,
}

/// The input of a test.
enum PolicyTestInput {
    /// A resource or a template in the test.
    Written(Value),
    /// The file of a template, below the folder of the test.
    File(PathBuf),
}

/// Runs all unit tests of policies in the folders and files of the arguments. Empty if there are none.
pub(super) fn run(arguments: &RulesTestArguments, workspace: &mut Workspace<'_>) -> Result<Vec<SuiteResult>, Error> {
    let working = &workspace.environment.working;
    let mut files: Vec<PolicyTestFile> = Vec::new();
    for path in units::files(&arguments.dirs, working, TEST_EXTENSIONS) {
        let Some(text) = units::read(&path, workspace).filter(|text| text.contains("expectations")) else { continue };
        let name = display_name(working, &path);
        let file = workspace.sources.add(name.as_str(), text);
        let parsed = yaml::parse(file, workspace.sources.get(file).text(), workspace.limits.nesting);
        let Some(tests) = parsed.value.as_ref().and_then(tests) else { continue };
        files.push(PolicyTestFile { home: units::home(&path).to_path_buf(), path, name, tests });
    }
    let mut suites = Vec::new();
    for files in files.chunk_by(|one, next| one.home == next.home) {
        let home = files.first().map_or(working.as_path(), |file| &file.home);
        let loaded = policies(arguments, home, workspace)?;
        // All tests without parameters use the same policies.
        let tried = loaded.assignments.is_empty().then(|| assign_all(&loaded, None));
        let governance = workspace.governance(tried.as_ref().unwrap_or(&loaded));
        let runner = PolicyTestRunner { arguments, workspace, policies: &loaded, governance: governance.as_ref() };
        for file in files {
            let result = |test: &PolicyTest| {
                let failure = runner.failure(test, &file.path)?;
                Ok(TestResult { name: test.name.clone(), failure })
            };
            let tests = file.tests.iter().map(result).collect::<Result<Vec<_>, Error>>()?;
            suites.push(SuiteResult { name: file.name.clone(), tests });
        }
    }
    Ok(suites)
}

/// Assigns each policy, with these parameter values.
fn assign_all(policies: &Policies, parameters: Option<&Value>) -> Policies {
    let (definitions, initiatives) = (policies.definitions.clone(), policies.initiatives.clone());
    Policies { definitions, initiatives, assignments: tried(policies, parameters), ..Policies::default() }
}

/// Returns the policies to test: those of the arguments, else those of the settings, else those beside the tests.
fn policies(arguments: &RulesTestArguments, home: &Path, workspace: &mut Workspace<'_>) -> Result<Policies, Error> {
    let mut paths = arguments.policy.clone();
    if !paths.is_empty() {
        workspace.settings.policy.paths.clear();
    } else if workspace.settings.policy.paths.is_empty() {
        paths.push(home.to_path_buf());
    }
    workspace.policies(&Given { policy: paths, ..Given::default() }, &arguments.bicep, false)
}

/// Reads the tests of a file. `None` if it contains something else.
fn tests(document: &Value) -> Option<Vec<PolicyTest>> {
    let tests = document.as_array()?;
    tests.iter().find_map(expectations)?;
    let test = |(number, test): (usize, &Value)| {
        let name = test.get("name").and_then(Value::as_str);
        let file = test.get("template").and_then(Value::as_str);
        PolicyTest {
            name: name.map_or_else(|| number.to_string(), str::to_owned),
            input: match file {
                Some(file) => PolicyTestInput::File(PathBuf::from(file)),
                None => PolicyTestInput::Written(test.get("input").cloned().unwrap_or(Value::NULL)),
            },
            parameters: test.get("parameters").cloned(),
            expectations: expectations(test).unwrap_or_default(),
        }
    };
    Some((1..).zip(tests).map(test).collect())
}

/// Returns the outcomes that a test expects of policies, by policy name.
fn expectations(test: &Value) -> Option<Vec<Member>> {
    let all = test.get("expectations")?.get("policies")?.as_object()?;
    Some(all.iter().cloned().collect())
}

/// The policies and arguments that the tests of a folder run with.
struct PolicyTestRunner<'a> {
    arguments: &'a RulesTestArguments,
    workspace: &'a Workspace<'a>,
    policies: &'a Policies,
    /// The evaluator of these policies. `None` if there are none.
    governance: Option<&'a Governance<'a>>,
}

impl PolicyTestRunner<'_> {
    /// Returns the reason why a test of this file fails. `None` if it passes.
    fn failure(&self, test: &PolicyTest, file: &Path) -> Result<Option<String>, Error> {
        let name = visible(&test.name).into_owned();
        let failed = |complaint: &str| Ok(Some(format!("{name}: {}", visible(complaint))));
        let tried = match self.test_policies(test) {
            Ok(tried) => tried,
            Err(complaint) => return failed(&complaint),
        };
        let own = tried.as_ref().and_then(|tried| self.workspace.governance(tried));
        let governance = if tried.is_some() { own.as_ref() } else { self.governance };
        let Some(governance) = governance else { return failed("there are no policies") };
        if test.expectations.is_empty() {
            return failed("it expects nothing; name policies under `expectations.policies`");
        }
        let expanded = match self.expand(&test.input, file)? {
            Ok(expanded) => expanded,
            Err(complaint) => return failed(&complaint),
        };
        let Some(document) = &expanded.expansion.document else { return failed("the input cannot be evaluated") };
        let judged = governance.judge(document)?;
        let verdicts: Vec<&Verdict> = judged.iter().flat_map(|(_, judged)| &judged.verdicts).collect();
        let mut problems =
            test.expectations.iter().filter_map(|expected| self.problem(expected, governance, &verdicts));
        Ok(problems.next().map(|(place, complaint)| format!("{place}{name}: {}", visible(&complaint))))
    }

    /// Returns the policies with the parameter values of the test. `None` if it has none.
    fn test_policies(&self, test: &PolicyTest) -> Result<Option<Policies>, String> {
        let policies = self.policies;
        let Some(parameters) = &test.parameters else { return Ok(None) };
        if !policies.assignments.is_empty() {
            return Err("an assignment gives the parameters their values".to_owned());
        }
        let own = policies.definitions.iter().flat_map(|definition| &definition.parameters);
        let declared = own.chain(policies.initiatives.iter().flat_map(|initiative| &initiative.parameters));
        for given in parameters.as_object().into_iter().flatten() {
            if !declared.clone().any(|parameter| parameter.name.eq_ignore_ascii_case(&given.key)) {
                let hint = Suggestions::default().did_you_mean(&given.key, declared.clone().map(|own| &*own.name));
                return Err(format!("no policy has a parameter `{}`{hint}", given.key));
            }
        }
        Ok(Some(assign_all(policies, Some(parameters))))
    }

    /// Expands an input of a test in this file, or returns the reason why that fails.
    fn expand(&self, input: &PolicyTestInput, file: &Path) -> Result<Result<Expanded, String>, Error> {
        let (workspace, mut paths, mut stdin) = (self.workspace, Vec::new(), None);
        let working = &workspace.environment.working;
        match input {
            PolicyTestInput::File(name) => {
                let path = normalize(working, &file.parent().unwrap_or(file).join(name));
                // The author of a test must not be able to read files of the machine that runs it.
                let file = normalize(working, file);
                if !Bounds::around_file(working, &file, &Arc::new(Folders::new(Fence::of_user(&Disk)))).hold(&path) {
                    return Ok(Err(format!("the template `{}` is outside the repository", name.display())));
                }
                paths.push(path);
            }
            PolicyTestInput::Written(value) => {
                let bytes = as_template(value).to_json().into_bytes();
                stdin = Some(Piped { name: "input.json".to_owned(), bytes });
            }
        }
        let (assumptions, bicep) = (workspace.assumptions(), workspace.bicep(&self.arguments.bicep)?);
        let inputs = Inputs::plain(&Disk, working, &paths, &assumptions, &bicep, &workspace.limits);
        let (expanded, mut problems) = engine::expand(&Inputs { stdin, ..inputs }, &workspace.sources)?;
        problems.extend(expanded.iter().flat_map(|expanded| expanded.expansion.diagnostics.iter().cloned()));
        // The file may be something other than a template, and most messages quote its content.
        let is_quiet = |problem: &Diagnostic| matches!(problem.code, Code::FileUnreadable | Code::FileTooLarge);
        let errors = problems.iter().filter(|problem| problem.level == Level::Error);
        let errors = errors.map(|problem| (problem.primary.span, &problem.message, is_quiet(problem)));
        // A resource in a test needs no `apiVersion`.
        let is_wrong = |finding: &&Finding| finding.rule.check != Some(TEMPLATE_SHAPE);
        let findings = expanded.iter().flat_map(|expanded| &expanded.problems).filter(is_wrong);
        let mut wrong = errors.chain(findings.map(|finding| (finding.span, &finding.message, false)));
        if let Some((span, why, is_quiet)) = wrong.next() {
            return Ok(Err(match input {
                PolicyTestInput::File(_) if !is_quiet => {
                    let place = location_prefix(span, &workspace.sources);
                    format!("{place}the template cannot be evaluated; `formwork expand` says why")
                }
                PolicyTestInput::File(_) | PolicyTestInput::Written(_) => {
                    format!("the input cannot be evaluated: {why}")
                }
            }));
        }
        Ok(expanded.ok_or_else(|| "the input is neither a resource nor a template".to_owned()))
    }

    /// Returns the location and the reason if an expectation is not met. `None` if it is met.
    fn problem(
        &self,
        expected: &Member,
        governance: &Governance<'_>,
        verdicts: &[&Verdict],
    ) -> Option<(String, String)> {
        let location =
            || expected.span().map_or_else(String::new, |span| location_prefix(span, &self.workspace.sources));
        let (name, wanted) = (&expected.key, expected.value.as_str().unwrap_or_default());
        let Some(wanted) = STRENGTH.iter().find(|known| known.eq_ignore_ascii_case(wanted)) else {
            let complaint = format!("{} is not an outcome; expected {}", expected.value.to_json(), STRENGTH.join(", "));
            return Some((location(), complaint));
        };
        let meant = governance.meant(name);
        if meant.is_empty() {
            return Some((location(), format!("there is no policy `{name}`{}", governance.suggestion(name))));
        }
        let of_this = || {
            verdicts
                .iter()
                .filter(|verdict| meant.contains(&(verdict.assignment, &*verdict.reference, &*verdict.definition)))
        };
        let found = STRENGTH.iter().find(|effect| of_this().any(|verdict| outcome(verdict) == **effect));
        let found = found.copied().unwrap_or("none");
        if found == *wanted {
            return None;
        }
        let why = of_this().find(|verdict| outcome(verdict) == found).map(|verdict| verdict.why.as_str());
        let why = why.filter(|why| !why.is_empty()).map_or_else(String::new, |why| format!(", because {why}"));
        Some((location(), format!("`{name}` is `{found}`{why}; expected `{wanted}`")))
    }
}

/// Returns a location as the start of a message.
fn location_prefix(span: Span, sources: &Sources) -> String {
    let (at, _) = sources.range(span);
    let file = sources.get(span.file);
    format!("{}:{}:{}: ", file_name(file.name()), at.line, at.column)
}

/// Returns the outcome of a policy, or `none` if its assignment does not apply.
fn outcome(verdict: &Verdict) -> &'static str {
    match (verdict.standing, verdict.outcome) {
        (Standing::Applies | Standing::Conditional, Outcome::Effect(effect)) => effect.as_str(),
        (Standing::Applies | Standing::Conditional, Outcome::Unknown) => "unknown",
        _ => "none",
    }
}

/// Returns a template that deploys an input. A template, or an array of exported resources with IDs, is returned
/// unchanged.
fn as_template(input: &Value) -> Value {
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
