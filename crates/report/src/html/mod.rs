//! Self-contained HTML pages: style and script are in the page, and its policy forbids all others. So even if an escape
//! were missing, no text of a template could run as a script or load anything.

mod entry;
mod resources;
mod run;
mod tree;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::text::escape::html;

pub(super) use self::run::render;
pub(super) use self::tree::{HtmlNode, attributes, place, title, tree};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A filter of the items on a page.
pub(super) struct Filter<'a> {
    /// Attribute `data-…` of the items, and its label.
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) values: BTreeSet<&'a str>,
}

/// Returns a page with a heading, filters for its items, and a body in HTML.
pub(super) fn page(title: &str, intro: &str, filters: &[Filter<'_>], body: &str) -> String {
    let [style_hash, script_hash] = [STYLE, SCRIPT].map(|text| STANDARD.encode(Sha256::digest(text.as_bytes())));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; base-uri 'none'; form-action 'none'"
    );
    let mut form = String::new();
    for filter in filters.iter().filter(|filter| !filter.values.is_empty()) {
        let _ =
            write!(form, "<label>{} <select name=\"{}\"><option value=\"\">all</option>", filter.label, filter.name);
        for value in &filter.values {
            let _ = write!(form, "<option>{}</option>", html(value));
        }
        form.push_str("</select></label>\n");
    }
    let title = html(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{intro}\n\
         <form>\n{form}<label>Search <input type=\"search\" name=\"text\"></label>\n\
         <button type=\"button\" name=\"unfold\">Unfold all</button> <button type=\"button\" name=\"fold\">Fold all</button>\n\
         <output></output>\n</form>\n\
         {body}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// Formats a name as code.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", html(text))
}

/// Formats text with names in backticks.
pub(super) fn prose(text: &str) -> String {
    let mut parts = text.split('`').enumerate().peekable();
    let mut shown = String::new();
    while let Some((at, part)) = parts.next() {
        match (at % 2, parts.peek()) {
            (1, Some(_)) => shown.push_str(&code(part)),
            (1, None) => shown.push_str(&html(&format!("`{part}"))),
            _ => shown.push_str(&html(part)),
        }
    }
    shown
}

/// Returns the service of a type, which is its namespace.
pub(super) fn service(type_name: &str) -> &str {
    match type_name.match_indices("::").nth(1) {
        Some((at, _)) => type_name.get(..at).unwrap_or(type_name),
        None => type_name.split('/').next().unwrap_or(type_name),
    }
}
