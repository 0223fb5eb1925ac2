//! Trees on a page: lists in lists, each part of which can be folded.

use std::fmt::Write as _;

use crate::text::cut;
use crate::text::escape::html;
use crate::titles;

/// How many bytes of a name are shown in a tree.
const MAX_NAME: usize = 200;

/// A part of a tree, as HTML.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The attributes by which filters find it.
    pub(crate) attributes: String,
    /// What is always shown of it.
    pub(crate) label: String,
    /// What is shown below the label if it is unfolded.
    pub(crate) body: String,
    pub(crate) is_open: bool,
    pub(crate) children: Vec<Node>,
}

/// The attributes of what counts as a `kind` of entries, if it counts. Several values of an attribute are lines.
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

/// A type and a name, shortened.
pub(crate) fn title(type_name: &str, name: &str) -> String {
    let code = |text: &str| super::code(&cut(text, MAX_NAME));
    titles::resource(type_name, name, code)
}

/// Where something is written.
pub(crate) fn place(file: &str, line: u32) -> String {
    format!(" <span class=\"place\">{}</span>", html(&format!("{}:{line}", cut(file, MAX_NAME))))
}

/// The nodes as a list. Their depth is that of the stack, which those who make them bound.
pub(crate) fn tree(nodes: &[Node]) -> String {
    let mut text = String::new();
    write_nodes(nodes, &mut text);
    text
}

fn write_nodes(nodes: &[Node], text: &mut String) {
    if nodes.is_empty() {
        return;
    }
    text.push_str("<ul class=\"tree\">\n");
    for Node { attributes, label, body, is_open, children } in nodes {
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
