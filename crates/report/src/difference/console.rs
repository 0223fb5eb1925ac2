//! Prints a difference for a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use crate::counted::counted;
use crate::difference::document::{Cause, Change, Deployment, Difference, Outcome, Resource, Risk, Severity};
use crate::difference::wording::{unsaid, untouched, values, versions};
use crate::text::cut;
use crate::text::escape::{file_name, visible};

/// Groups of deployments that are shown. The following constants limit the resources of each group, and the properties
/// of each resource.
const MAX_GROUPS: usize = 100;
const MAX_RESOURCES: usize = 100;
const MAX_PROPERTIES: usize = 20;

/// Parameters of a deployment that are shown as causes. The next constant limits those whose other resources are
/// listed.
const MAX_CAUSES: usize = 20;

/// Risks of each resource that are shown.
const MAX_RISKS: usize = 10;

/// Names of further resources that are listed, and of deployments that differ in the same way.
const MAX_NAMES: usize = 8;

/// Bytes of a name, a path, or a note that are shown.
const MAX_NAME: usize = 200;

/// Returns the difference as text, in the order of the document. All parts are bounded.
pub fn text(difference: &Difference, is_colored: bool) -> String {
    let mut page = Page { is_colored, text: String::new() };
    let groups = difference.alike();
    groups.iter().take(MAX_GROUPS).for_each(|alike| page.group(alike));
    let more: usize = groups.iter().skip(MAX_GROUPS).map(Vec::len).sum();
    if more > 0 {
        let _ = writeln!(page.text, "… and {}\n", counted(more, "more deployment"));
    }
    page.summary(difference);
    page.text
}

/// Text so far.
struct Page {
    is_colored: bool,
    text: String,
}

impl Page {
    /// Prints deployments that differ in the same way.
    fn group(&mut self, alike: &[&Deployment]) {
        alike.iter().take(MAX_NAMES).for_each(|deployment| self.header(deployment));
        if alike.len() > MAX_NAMES {
            let more = counted(alike.len() - MAX_NAMES, "more deployment");
            let _ = writeln!(self.text, "… and {more} with the same difference");
        }
        alike.iter().take(1).for_each(|deployment| self.body(deployment));
        self.text.push('\n');
    }

    fn header(&mut self, deployment: &Deployment) {
        let strong = self.style(Style::new().bold());
        let about = match (deployment.note(), &deployment.old_template) {
            ("", Some(old)) => format!(" (old: {})", named(old, deployment.old_parameters.as_deref())),
            ("", None) => String::new(),
            (note, _) => format!(": {note}"),
        };
        let name = named(&deployment.template, deployment.parameters.as_deref());
        let _ = writeln!(self.text, "{strong}{name}{strong:#}{about}");
    }

    /// Prints the differences of a deployment.
    fn body(&mut self, deployment: &Deployment) {
        for (at, cause) in deployment.causes.iter().enumerate().take(MAX_CAUSES) {
            self.cause(at, cause, deployment);
        }
        self.more("  ", unsaid(deployment.causes.len(), MAX_CAUSES, 0, "parameter"));
        let (mut shown, mut folded) = (Vec::new(), BTreeMap::<usize, Vec<&Resource>>::new());
        for (resource, cause) in deployment.resources.iter().zip(deployment.folded()) {
            match cause {
                Some(cause) => folded.entry(cause).or_default().push(resource),
                None => shown.push(resource),
            }
        }
        shown.iter().take(MAX_RESOURCES).for_each(|resource| self.resource(resource, deployment));
        self.more("  ", unsaid(shown.len(), MAX_RESOURCES, deployment.unlisted(), "resource"));
        for (at, resources) in folded.iter().take(MAX_CAUSES) {
            if let Some(cause) = deployment.causes.get(*at) {
                self.rest(resources, cause);
            }
        }
        let left: usize = folded.values().skip(MAX_CAUSES).map(Vec::len).sum();
        let left = unsaid(left, 0, 0, "resource");
        self.more("  ", left.map(|left| format!("{left}, each of which differs only by a parameter")));
    }

    /// Prints a parameter, and how many properties depend on it.
    fn cause(&mut self, at: usize, cause: &Cause, deployment: &Deployment) {
        let changes = deployment.resources.iter().flat_map(|resource| &resource.changes);
        let count = changes.filter(|change| change.cause == Some(at)).count();
        let values = values(cause.old.as_ref(), cause.new.as_ref(), |text| visible(text).into_owned());
        let place = in_parentheses(cause.file.as_deref(), cause.line);
        let noun = if count == 1 { "property depends" } else { "properties depend" };
        let name = name(&cause.parameter);
        let _ = writeln!(self.text, "  parameter `{name}`{place}: {values}; {count} changed {noun} on it");
    }

    fn resource(&mut self, resource: &Resource, deployment: &Deployment) {
        let style = self.style(match resource.outcome {
            Outcome::Create => AnsiColor::Green.on_default(),
            Outcome::Remove => AnsiColor::Red.on_default(),
            Outcome::Change => AnsiColor::Yellow.on_default(),
            Outcome::Uncertain => AnsiColor::Magenta.on_default(),
        });
        let place = in_parentheses(resource.file.as_deref(), resource.line);
        let (sign, title) = (resource.sign(), title(resource));
        let mut about = vec![format!("{style}{sign} {title}{style:#}{place}")];
        about.extend(resource.notes().iter().map(|note| name(note)));
        let _ = writeln!(self.text, "  {}", about.join(", "));
        resource.risks.iter().take(MAX_RISKS).for_each(|risk| self.risk(risk));
        self.more("      ", unsaid(resource.risks.len(), MAX_RISKS, 0, "risk"));
        resource.changes.iter().take(MAX_PROPERTIES).for_each(|change| self.property(change, deployment));
        self.more("      ", unsaid(resource.changes.len(), MAX_PROPERTIES, resource.more_changes, "property"));
    }

    fn risk(&mut self, risk: &Risk) {
        let style = self.style(match risk.severity {
            Severity::High => AnsiColor::Red.on_default().bold(),
            Severity::Medium => AnsiColor::Yellow.on_default().bold(),
            Severity::Low => Style::new().bold(),
        });
        let severity = risk.severity.as_str();
        let path = risk.path.as_ref().map_or_else(String::new, |path| format!(" (`{}`)", name(path)));
        let message = visible(&risk.message);
        let _ = writeln!(self.text, "      {style}! {severity} risk:{style:#} {message}{path}");
    }

    fn property(&mut self, change: &Change, deployment: &Deployment) {
        let path = match &change.old_path {
            Some(old) => format!("{} (old: {})", name(&change.path), name(old)),
            None => name(&change.path),
        };
        let values = values(change.old.as_ref(), change.new.as_ref(), |text| visible(text).into_owned());
        let cause = change.cause.and_then(|at| deployment.causes.get(at));
        let cause = cause.map_or_else(String::new, |cause| format!(" (parameter `{}`)", name(&cause.parameter)));
        let _ = writeln!(self.text, "      {path}: {values}{cause}");
    }

    /// Prints the names of resources that differ only by a parameter and are not shown.
    fn rest(&mut self, resources: &[&Resource], cause: &Cause) {
        let names: Vec<String> = resources.iter().take(MAX_NAMES).map(|resource| title(resource)).collect();
        let more = resources.len() - names.len();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let count = resources.len();
        let noun = if count == 1 { "resource differs" } else { "resources differ" };
        let (parameter, names) = (name(&cause.parameter), names.join(", "));
        let _ = writeln!(self.text, "  ~ {count} more {noun} only by parameter `{parameter}`: {names}{more}");
    }

    fn more(&mut self, indent: &str, left: Option<String>) {
        if let Some(left) = left {
            let _ = writeln!(self.text, "{indent}{left}");
        }
    }

    fn summary(&mut self, difference: &Difference) {
        let (differing, all, unreadable) = difference.deployments();
        let all = counted(all, "deployment");
        if differing == 0 {
            let same = counted(difference.summary.resources.same, "resource");
            let _ = write!(self.text, "No difference in {all} with {same}");
        } else {
            let verb = if differing == 1 { "differs" } else { "differ" };
            let _ = write!(self.text, "{differing} of {all} {verb}: {}", difference.counts());
        }
        if difference.summary.untouched > 0 {
            let _ = write!(self.text, "; {}", untouched(difference.summary.untouched));
        }
        if unreadable > 0 {
            let _ = write!(self.text, "; {} cannot be compared", counted(unreadable, "deployment"));
        }
        self.text.push('\n');
        let risks = &difference.summary.risks;
        if [risks.high, risks.medium, risks.low].iter().any(|count| *count > 0) {
            let (high, medium, low) = (risks.high, risks.medium, risks.low);
            let _ = writeln!(self.text, "Risks: {high} high, {medium} medium, {low} low");
        }
        if !difference.summary.versions.is_zero() {
            let _ = writeln!(self.text, "{}", versions(&difference.summary.versions));
        }
        if difference.leaves_resources() {
            self.text.push_str("A resource that is no longer deployed is not deleted by an incremental deployment.\n");
        }
    }

    fn style(&self, style: Style) -> Style {
        if self.is_colored { style } else { Style::new() }
    }
}

fn title(resource: &Resource) -> String {
    format!("{} {}", name(&resource.type_name), name(&resource.name))
}

fn in_parentheses(file: Option<&str>, line: Option<u32>) -> String {
    file.map_or_else(String::new, |file| format!(" ({}:{})", visible(file), line.unwrap_or_default()))
}

fn named(template: &str, parameters: Option<&str>) -> String {
    match parameters {
        Some(parameters) => format!("{} with {}", file_name(template), file_name(parameters)),
        None => file_name(template).into_owned(),
    }
}

/// Formats a name, a path, or a note on one line.
fn name(text: &str) -> String {
    visible(&cut(text, MAX_NAME)).into_owned()
}
