//! Writes a difference as an HTML page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use foldhash::HashMap;

use crate::difference::document::{Change, Deployment, Difference, Outcome, Resource, Severity};
use crate::difference::wording::{unsaid, untouched, values};
use crate::html::{Filter, HtmlNode, attributes, code, page as shell, place, prose, service, title, tree};

/// Bytes of a page. Browsers are slow with more, and the JSON is complete.
const MAX_PAGE: usize = 20_000_000;

/// Parameters of a deployment that are listed as causes.
const MAX_CAUSES: usize = 100;

/// Approximate bytes of markup around a name.
const FRAME: usize = 300;

/// Returns the page of a difference.
pub fn page(difference: &Difference) -> String {
    bounded(difference, MAX_PAGE)
}

/// Returns the page, with as many deployments as fit into `room` bytes.
pub(super) fn bounded(difference: &Difference, room: usize) -> String {
    let mut body = String::new();
    let mut left = difference.deployments.len();
    for deployment in &difference.deployments {
        if body.len() > room {
            break;
        }
        body.push_str(&block(deployment, room - body.len()));
        left -= 1;
    }
    if left > 0 {
        let _ = writeln!(body, "<p>… and {left} more deployments, for which this page has no room</p>");
    }
    let resources: Vec<&Resource> =
        difference.deployments.iter().flat_map(|deployment| &deployment.resources).collect();
    let severities = resources.iter().flat_map(|resource| &resource.risks).map(|risk| risk.severity.as_str());
    let filters = [
        Filter { name: "severity", label: "Risk", values: severities.collect() },
        Filter {
            name: "outcome",
            label: "Outcome",
            values: resources.iter().map(|resource| word(resource.outcome)).collect(),
        },
        Filter {
            name: "service",
            label: "Service",
            values: resources.iter().map(|resource| service(&resource.type_name)).collect(),
        },
        Filter {
            name: "file",
            label: "File",
            values: resources.iter().filter_map(|resource| resource.file.as_deref()).collect(),
        },
    ];
    shell("What a change deploys", &intro(difference), &filters, &body)
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Create => "create",
        Outcome::Change => "change",
        Outcome::Remove => "remove",
        Outcome::Uncertain => "uncertain",
    }
}

fn intro(difference: &Difference) -> String {
    let (differing, all, unreadable) = difference.deployments();
    let mut text = format!(
        "<p>From {} to {}: {differing} of {all} deployments differ. {}.",
        code(&difference.old.name),
        code(&difference.new.name),
        difference.counts()
    );
    if difference.summary.untouched > 0 {
        let _ = write!(text, " {}.", untouched(difference.summary.untouched));
    }
    if unreadable > 0 {
        let _ = write!(text, " {unreadable} cannot be compared.");
    }
    text.push_str("</p>\n");
    let risks = Severity::ALL.map(|severity| (difference.risks(severity), severity.as_str()));
    for (count, word) in risks.iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "<p class=\"{word}\">{count} {word} {}</p>", if *count == 1 { "risk" } else { "risks" });
    }
    if difference.leaves_resources() {
        text.push_str("<p>A resource that is no longer deployed is not deleted by an incremental deployment.</p>\n");
    }
    text
}

/// Returns a deployment, with as many resources as fit into `room` bytes.
fn block(deployment: &Deployment, room: usize) -> String {
    let with = deployment.parameters.as_ref().map_or_else(String::new, |file| format!(" with {}", code(file)));
    let parts = [deployment.note().to_owned(), deployment.counts()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let mut block = format!(
        "<details open data-group><summary>{}{with}: {}</summary>\n{}",
        code(&deployment.template),
        parts.join("; "),
        parameters(deployment)
    );
    let mut used = 0;
    let mut shown = Vec::new();
    for resource in &deployment.resources {
        let body = about(resource, deployment);
        used += body.len() + frame(resource);
        if used > room && !shown.is_empty() {
            break;
        }
        shown.push((resource, body));
    }
    let left = (deployment.resources.len() - shown.len()) + deployment.unlisted();
    block.push_str(&tree(&nodes(shown, 0)));
    if let Some(left) = unsaid(left, 0, 0, "resource") {
        let _ = writeln!(block, "<p>{left}, for which this page has no room</p>");
    }
    block.push_str("</details>\n");
    block
}

/// Returns the parameters that cause changes, as a list.
fn parameters(deployment: &Deployment) -> String {
    let mut text = String::new();
    for cause in deployment.causes.iter().take(MAX_CAUSES) {
        let values = values(cause.old.as_ref(), cause.new.as_ref(), code);
        let _ = writeln!(text, "<li>parameter {}: {values}</li>", code(&cause.parameter));
    }
    if let Some(left) = unsaid(deployment.causes.len(), MAX_CAUSES, 0, "parameter") {
        let _ = writeln!(text, "<li>{left}</li>");
    }
    if text.is_empty() { text } else { format!("<ul>\n{text}</ul>\n") }
}

/// Returns the approximate bytes of a resource on the page, without its details.
fn frame(resource: &Resource) -> usize {
    let parents =
        resource.parents.iter().map(|parent| parent.type_name.len() + parent.name.len() + FRAME).sum::<usize>();
    let file = resource.file.as_ref().map_or(0, String::len);
    FRAME + resource.type_name.len() + resource.name.len() + 2 * file + parents
}

/// A resource, and the details below its name.
type DetailedResource<'a> = (&'a Resource, String);

/// Returns the resources as a tree. All of them are in the first `depth` of their parents.
fn nodes(resources: Vec<DetailedResource<'_>>, depth: usize) -> Vec<HtmlNode> {
    // What is in a resource that differs itself is below it.
    let mut places: HashMap<(&str, &str), usize> = HashMap::default();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (resource, body) in resources {
        let around = resource.parents.get(depth);
        let name = around.map_or((&*resource.type_name, &*resource.name), |parent| (&*parent.type_name, &*parent.name));
        let at = *places.entry(name).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group { name, own: Vec::new(), inside: Vec::new() });
        }
        let Some(group) = groups.get_mut(at) else { continue };
        if around.is_some() { &mut group.inside } else { &mut group.own }.push((resource, body));
    }
    groups.into_iter().flat_map(|group| group.nodes(depth)).collect()
}

/// Resources with one name at one position of the tree, and those in them.
struct Group<'a> {
    name: (&'a str, &'a str),
    own: Vec<DetailedResource<'a>>,
    inside: Vec<DetailedResource<'a>>,
}

impl Group<'_> {
    fn nodes(self, depth: usize) -> Vec<HtmlNode> {
        let inside = nodes(self.inside, depth + 1);
        let mut own: Vec<HtmlNode> = self.own.into_iter().map(|(resource, body)| node(resource, body)).collect();
        match own.last_mut() {
            Some(last) => last.children = inside,
            None => own.push(HtmlNode {
                attributes: attributes(None, &[]),
                label: format!("<span class=\"note\">in {}</span>", title(self.name.0, self.name.1)),
                is_open: true,
                children: inside,
                ..HtmlNode::default()
            }),
        }
        own
    }
}

fn node(resource: &Resource, body: String) -> HtmlNode {
    let severities: BTreeSet<&str> = resource.risks.iter().map(|risk| risk.severity.as_str()).collect();
    let severities = severities.into_iter().collect::<Vec<_>>().join("\n");
    let values = [
        ("severity", severities.as_str()),
        ("outcome", word(resource.outcome)),
        ("service", service(&resource.type_name)),
        ("file", resource.file.as_deref().unwrap_or_default()),
    ];
    let mut label = format!("<code>{}</code> {}", resource.sign(), title(&resource.type_name, &resource.name));
    if let Some(file) = &resource.file {
        label.push_str(&place(file, resource.line.unwrap_or_default()));
    }
    if let Some(worst) = resource.worst() {
        let word = worst.as_str();
        let _ = write!(label, " <span class=\"{word}\">{word} risk</span>");
    }
    HtmlNode { attributes: attributes(Some("resource"), &values), label, body, is_open: true, children: Vec::new() }
}

/// Returns further facts about a resource, as a list.
fn about(resource: &Resource, deployment: &Deployment) -> String {
    let mut text = String::new();
    for note in resource.notes() {
        let _ = writeln!(text, "<li class=\"note\">{}</li>", prose(&note));
    }
    for risk in &resource.risks {
        let path = risk.path.as_ref().map_or_else(String::new, |path| format!(" ({})", code(path)));
        let word = risk.severity.as_str();
        let _ = writeln!(text, "<li><span class=\"{word}\">{word} risk</span>: {}{path}</li>", prose(&risk.message));
    }
    resource.changes.iter().for_each(|change| text.push_str(&property(change, deployment)));
    if let Some(left) = unsaid(0, 0, resource.more_changes, "property") {
        let _ = writeln!(text, "<li>{left}</li>");
    }
    if text.is_empty() { text } else { format!("<ul>\n{text}</ul>") }
}

fn property(change: &Change, deployment: &Deployment) -> String {
    let cause = change.cause.and_then(|at| deployment.causes.get(at));
    let cause = cause.map_or_else(String::new, |cause| format!(" (parameter {})", code(&cause.parameter)));
    let values = values(change.old.as_ref(), change.new.as_ref(), code);
    format!("<li>{}: {values}{cause}</li>\n", code(&change.path))
}
