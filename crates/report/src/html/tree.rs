//! Foldable trees on a page: lists in lists.

use std::fmt::Write as _;

use crate::text::cut;
use crate::text::escape::html;
use crate::titles;

/// Bytes of a name that are shown in a tree.
const MAX_NAME: usize = 200;

/// A node of a tree, in HTML.
#[derive(Debug, Default)]
pub(crate) struct HtmlNode {
    /// Attributes for filters.
    pub(crate) attributes: String,
    /// Part that is always visible.
    pub(crate) label: String,
    /// Part that is visible when the node is unfolded.
    pub(crate) body: String,
    pub(crate) is_open: bool,
    pub(crate) children: Vec<HtmlNode>,
}

/// Returns the attributes of a node. With a `kind`, the node counts as an entry of that kind. Several values of an
/// attribute are separated by line feeds.
pub(crate) fn attributes(kind: Option<&str>, values: &[(&str, &str)]) -> String {
    let mut text = "data-node".to_owned();
    if let Some(kind) = kind {
        let _ = write!(text, " data-item=\"{kind}\"");
    }
    for (name, value) in values.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = write!(text, " data-{name}=\"{}\"", html(value));
    }
    text
}

/// Returns a type and a name, shortened.
pub(crate) fn title(type_name: &str, name: &str) -> String {
    titles::resource(type_name, name, |text: &str| super::code(&cut(text, MAX_NAME)))
}

/// Formats the position of a declaration.
pub(crate) fn place(file: &str, line: u32) -> String {
    format!(" <span class=\"place\">{}</span>", html(&format!("{}:{line}", cut(file, MAX_NAME))))
}

/// Returns the nodes as a list. The depth of recursion is that of the tree, which callers limit.
pub(crate) fn tree(nodes: &[HtmlNode]) -> String {
    let mut text = String::new();
    write_nodes(nodes, &mut text);
    text
}

fn write_nodes(nodes: &[HtmlNode], text: &mut String) {
    if nodes.is_empty() {
        return;
    }
    text.push_str("<ul class=\"tree\">\n");
    for HtmlNode { attributes, label, body, is_open, children } in nodes {
        if body.is_empty() && children.is_empty() {
            let _ = writeln!(text, "<li {attributes}><div>{label}</div></li>");
            continue;
        }
        let open = if *is_open { " open" } else { "" };
        let _ = write!(text, "<li {attributes}><details{open}><summary>{label}</summary>");
        if !body.is_empty() {
            let _ = write!(text, "<div class=\"body\">{body}</div>");
        }
        text.push('\n');
        write_nodes(children, text);
        text.push_str("</details></li>\n");
    }
    text.push_str("</ul>\n");
}
