//! Trees of the resources of a run's deployments, with their findings.

use std::fmt::Write as _;

use foldhash::HashMap;

use crate::counted;
use crate::diagnostic::Subject;
use crate::html::entry::PageEntry;
use crate::html::tree::{HtmlNode, attributes, place, title, tree};
use crate::html::{code, prose, service};
use crate::item::Item;
use crate::listed_trees::{MAX_RESOURCES, listed_trees};
use crate::model::{Report, ResourceNode, ResourceTree};
use crate::text::cut;
use crate::text::escape::html;

/// Findings that are listed per resource. The next constant limits all of them together.
const MAX_OF_RESOURCE: usize = 50;
const MAX_FINDINGS: usize = 50_000;

/// Bytes of a message that are shown. The linked entry has the whole message.
const MAX_MESSAGE: usize = 200;

/// Returns the section with the trees. Empty for a run without trees.
pub(super) fn section(report: &Report, entries: &[PageEntry<'_>]) -> String {
    let mut about: HashMap<Subject, Vec<&PageEntry<'_>>> = HashMap::default();
    for entry in entries {
        let Item::Finding(fault) = &entry.item else { continue };
        let mut subjects: Vec<Subject> = fault.findings().flat_map(|finding| &finding.subjects).copied().collect();
        subjects.sort_unstable();
        subjects.dedup();
        for subject in subjects {
            about.entry(subject).or_default().push(entry);
        }
    }
    let mut forest = Forest { about, room: MAX_FINDINGS };
    let mut text = String::new();
    let is_single = report.trees.len() == 1;
    for (deployment, nodes) in listed_trees(report) {
        text.push_str(&forest.deployment(deployment, nodes, is_single));
    }
    if text.is_empty() {
        return text;
    }
    format!("<section id=\"resources\">\n<h2>Resources</h2>\n{text}</section>\n")
}

/// Returns the services and the files of the visible resources.
pub(super) fn facets(report: &Report) -> impl Iterator<Item = (&str, &str)> {
    let nodes = listed_trees(report).flat_map(|(_, nodes)| nodes);
    nodes.map(|node| (service(&node.type_name), &**node.place.file.name()))
}

struct Forest<'a> {
    about: HashMap<Subject, Vec<&'a PageEntry<'a>>>,
    /// Number of findings for which there is still room.
    room: usize,
}

impl Forest<'_> {
    fn deployment(&mut self, deployment: &ResourceTree, nodes: &[ResourceNode], is_open: bool) -> String {
        let with = deployment.parameters.as_ref().map_or_else(String::new, |name| format!(" with {}", code(name)));
        let all = deployment.nodes.len() + deployment.more;
        let subject = |node| Subject { tree: deployment.key, node };
        let found = (0..nodes.len()).filter_map(|at| self.about.get(&subject(at))).map(Vec::len).sum::<usize>();
        let about = match found {
            0 => counted(all, "resource"),
            _ => format!("{}, {}", counted(all, "resource"), counted(found, "finding")),
        };
        let open = if is_open { " open" } else { "" };
        let mut text =
            format!("<details{open} data-group><summary>{}{with}: {about}</summary>\n", code(&deployment.template));
        // Children come after the node that they are in, so the last nodes are complete first.
        let mut made: Vec<Vec<HtmlNode>> = nodes.iter().map(|_| Vec::new()).collect();
        let mut roots = Vec::new();
        for (at, resource) in nodes.iter().enumerate().rev() {
            let mut inside = made.pop().unwrap_or_default();
            inside.reverse();
            let node = self.resource(resource, subject(at), inside);
            let around = resource.parent.and_then(|parent| made.get_mut(parent));
            around.unwrap_or(&mut roots).push(node);
        }
        roots.reverse();
        text.push_str(&tree(&roots));
        if all > nodes.len() {
            let more = counted(all - nodes.len(), "more resource");
            let _ = writeln!(text, "<p>… and {more}: a page lists at most {MAX_RESOURCES}</p>");
        }
        text.push_str("</details>\n");
        text
    }

    fn resource(&mut self, resource: &ResourceNode, subject: Subject, inside: Vec<HtmlNode>) -> HtmlNode {
        let file = resource.place.file.name();
        let service = service(&resource.type_name);
        let mut label = title(&resource.type_name, &resource.name);
        label.push_str(&place(file, resource.place.start.line));
        if resource.is_uncertain {
            label.push_str(" <span class=\"note\">depends on a condition</span>");
        }
        let found = self.about.get(&subject).map_or(&[][..], Vec::as_slice);
        for word in ["high", "medium", "low"] {
            let count = found.iter().filter(|entry| entry.severity == word).count();
            if count > 0 {
                let _ = write!(label, " <span class=\"{word}\">{count} {word}</span>");
            }
        }
        let listed = found.get(..MAX_OF_RESOURCE.min(self.room)).unwrap_or(found);
        self.room -= listed.len();
        let mut children: Vec<HtmlNode> = listed.iter().map(|entry| finding(entry, service)).collect();
        if listed.len() < found.len() {
            let label = format!("… and {}", counted(found.len() - listed.len(), "more finding"));
            children.push(HtmlNode { attributes: attributes(None, &[]), label, ..HtmlNode::default() });
        }
        let is_open = !found.is_empty() || inside.iter().any(|node| node.is_open);
        children.extend(inside);
        let values = [("service", service), ("file", &**file)];
        HtmlNode { attributes: attributes(Some("resource"), &values), label, is_open, children, ..HtmlNode::default() }
    }
}

/// Returns a finding at its resource, with a link to its entry if the page has it.
fn finding(entry: &PageEntry<'_>, service: &str) -> HtmlNode {
    let PageEntry { item, file, severity, is_shown, number } = entry;
    let id = match is_shown {
        true => format!("<a href=\"#entry-{number}\">{}</a>", code(item.id())),
        false => code(item.id()),
    };
    let message = prose(&cut(item.message(), MAX_MESSAGE));
    let values = [("severity", *severity), ("service", service), ("rule", item.id()), ("file", file)];
    HtmlNode {
        attributes: attributes(None, &values),
        label: format!("<span class=\"{}\">{}</span> {id} {message}", html(severity), html(severity)),
        ..HtmlNode::default()
    }
}
