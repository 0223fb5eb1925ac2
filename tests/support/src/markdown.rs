//! What GitHub makes of a Markdown text, as another parser sees it.

use std::sync::LazyLock;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;
use regex::Regex;

/// A text as a reader sees it.
#[derive(Debug, Default)]
pub struct Seen {
    /// What people read, without invisible blanks; parts of different elements are on lines of their own.
    pub text: String,
    /// As `text`, without what is in code, and with all blanks: where GitHub looks for names.
    names: String,
    /// Tags and comments of HTML, each line of a block on its own.
    pub tags: Vec<String>,
    /// The names of the elements of Markdown.
    pub elements: Vec<String>,
    /// Info and lines of fenced blocks.
    pub fences: Vec<(String, String)>,
    /// How many cells each row of a table has.
    pub cells: Vec<usize>,
}

/// Reads a text with everything that GitHub's comments can have.
pub fn read(markdown: &str) -> Seen {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.alerts = true;
    extension.math_dollars = true;
    extension.math_code = true;
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options);
    let mut seen = Seen::default();
    let mut depth_of_code = 0_i32;
    for node in root.descendants() {
        let value = &node.data.borrow().value;
        seen.elements.push(value.xml_node_name().to_owned());
        match value {
            NodeValue::Text(text) => seen.push(text, depth_of_code > 0),
            NodeValue::SoftBreak | NodeValue::LineBreak => seen.push(" ", false),
            NodeValue::HtmlInline(tag) => {
                depth_of_code += i32::from(tag == "<code>") - i32::from(tag == "</code>");
                seen.names.push('\n');
                seen.tags.push(tag.clone());
            }
            NodeValue::HtmlBlock(html) => {
                seen.tags.extend(html.literal.lines().map(str::to_owned));
                seen.end();
            }
            NodeValue::CodeBlock(code) => {
                seen.fences.push((code.info.clone(), code.literal.clone()));
                seen.end();
            }
            NodeValue::TableRow(_) => seen.cells.push(node.children().count()),
            _ if value.block() => seen.end(),
            _ => {}
        }
    }
    seen
}

impl Seen {
    fn push(&mut self, text: &str, is_code: bool) {
        self.text.extend(text.chars().filter(|&c| c != '\u{200b}'));
        if !is_code {
            self.names.push_str(text);
        }
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.names.push('\n');
    }

    /// What GitHub would turn into a link or a picture after all escapes are resolved.
    pub fn name(&self) -> Option<&str> {
        static NAME: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i)@[a-z0-9]|#[0-9]|\bgh-[0-9]|:[a-z0-9_+-]+:").expect("the pattern is well-formed")
        });
        NAME.find(&self.names).map(|name| name.as_str())
    }
}

/// Whether a tag is the start of a link to the web, with nothing else in it.
pub fn is_link(tag: &str) -> bool {
    let address = tag.strip_prefix("<a href=\"https://").and_then(|rest| rest.strip_suffix("\">"));
    address.is_some_and(|uri| !uri.contains(['"', '>', '<', ' ']))
}

/// What is more than text in Markdown, in HTML, or in the commands of a runner, and some plain text.
const PARTS: &[&str] = &[
    "@org",
    "@org/team",
    "#1",
    "a/b#2",
    "GH-3",
    "gh-4",
    ":tada:",
    ":+1:",
    "a@b.cc",
    "mailto:a@b.cc",
    "http://a.b",
    "https://a.b/c",
    "ftp://a.b",
    "www.a.b",
    "WWW.a.b",
    "|",
    "||",
    "`",
    "``",
    "```",
    "```suggestion",
    "~~~",
    "~~a~~",
    "<b>",
    "</b>",
    "<br>",
    "<!--",
    "-->",
    "--",
    "<script>",
    "</details>",
    "<details><summary>",
    "</code>",
    "<a href=x>",
    "<https://a.b>",
    "<?",
    "<![CDATA[",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\t",
    "    ",
    " ",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "> [!NOTE]",
    "# ",
    "===",
    "---",
    "***",
    "**",
    "__",
    "*",
    "_",
    "[a](b)",
    "![a](b)",
    "[a]: b",
    "[a]",
    "[^1]",
    "[^1]: b",
    "- [ ] a",
    "[x]",
    "&amp;",
    "&#64;",
    "&lt;",
    "&",
    "\\",
    "\\\\",
    "\\`",
    "$x$",
    "$$",
    "$`x`$",
    "\0",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{200b}",
    "\u{2028}",
    "\u{feff}",
    "é",
    "漢字",
    "👩‍💻",
    "a",
    "B",
    "9",
    "<!-- formwork:v1:ci:0123456789abcdef -->",
    "<!-- formwork:end -->",
    "::error::x",
    "##[error]",
    "{{x}}",
    "\"",
    "'",
];

/// Texts that try to be more than text.
pub fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![4 => prop::sample::select(PARTS.to_vec()).prop_map(str::to_owned), 1 => ".{0,4}"],
        0..12,
    )
    .prop_map(|parts| parts.concat())
}
