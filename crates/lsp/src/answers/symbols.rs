//! What a template declares.

use std::ops::Range;

use gen_lsp_types::{DocumentSymbol, SymbolKind};

use crate::server::View;

/// A declaration in a Bicep file or a template, as an outline shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    /// The bytes of the name.
    pub(crate) place: Range<usize>,
    kind: SymbolKind,
    detail: &'static str,
}

/// The words that begin a declaration of Bicep, at the start of a line.
const BICEP: [(&str, SymbolKind); 8] = [
    ("param", SymbolKind::Constant),
    ("var", SymbolKind::Variable),
    ("resource", SymbolKind::Class),
    ("module", SymbolKind::Module),
    ("output", SymbolKind::Field),
    ("func", SymbolKind::Function),
    ("type", SymbolKind::Struct),
    ("extension", SymbolKind::Package),
];

/// The sections of templates in JSON and YAML whose members are declarations.
const SECTIONS: [(&str, SymbolKind, &str); 8] = [
    ("parameters", SymbolKind::Constant, "parameter"),
    ("variables", SymbolKind::Variable, "variable"),
    ("resources", SymbolKind::Class, "resource"),
    ("outputs", SymbolKind::Field, "output"),
    ("definitions", SymbolKind::Struct, "type"),
    ("conditions", SymbolKind::Boolean, "condition"),
    ("mappings", SymbolKind::Object, "mapping"),
    ("functions", SymbolKind::Function, "function"),
];

/// The declarations of a document.
pub(crate) fn symbols(view: &View<'_>) -> Vec<DocumentSymbol> {
    let drawn = |symbol: Symbol| {
        let selection_range = view.range(symbol.place.clone());
        let line = view.text.content(view.text.line(symbol.place.start)).unwrap_or(symbol.place);
        #[expect(deprecated, reason = "the type has this field of an old version of the protocol")]
        DocumentSymbol {
            name: symbol.name,
            detail: Some(symbol.detail.to_owned()),
            kind: symbol.kind,
            tags: None,
            deprecated: None,
            range: view.range(line),
            selection_range,
            children: None,
        }
    };
    of_text(&view.path, view.text.text()).into_iter().map(drawn).collect()
}

/// The declarations in the text of a file, by the language that its name says.
pub(crate) fn of_text(path: &std::path::Path, text: &arcstr::ArcStr) -> Vec<Symbol> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicep" | "bicepparam") => of_bicep(text),
        Some(extension) => of_data(extension, text),
        None => Vec::new(),
    }
}

fn of_bicep(text: &str) -> Vec<Symbol> {
    let mut start = 0;
    let mut symbols = Vec::new();
    for line in text.split_inclusive('\n') {
        let word = line.split(' ').next().unwrap_or_default();
        if let Some((detail, kind)) = BICEP.iter().find(|(name, _)| *name == word) {
            let rest = line.get(word.len()..).unwrap_or_default();
            let name = rest.trim_start();
            let at = start + word.len() + (rest.len() - name.len());
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                symbols.push(Symbol { place: at..at + name.len(), name, kind: *kind, detail });
            }
        }
        start += line.len();
    }
    symbols
}

/// How deep a text may nest.
const MAX_DEPTH: u32 = 100;

fn of_data(extension: &str, text: &arcstr::ArcStr) -> Vec<Symbol> {
    let file = formwork_model::text::Sources::new().add("", text.clone());
    let parsed = match extension {
        "json" | "jsonc" => formwork_syntax::json::parse(file, text, MAX_DEPTH),
        "yaml" | "yml" | "template" => formwork_syntax::yaml::parse_template(file, text, MAX_DEPTH, &|_| true),
        _ => return Vec::new(),
    };
    let Some(template) = parsed.value else { return Vec::new() };
    let mut symbols = Vec::new();
    for section in template.as_object().into_iter().flatten() {
        let known = SECTIONS.iter().find(|(name, ..)| section.key.eq_ignore_ascii_case(name));
        let Some((_, kind, detail)) = known else { continue };
        let mut add = |name: &str, span: Option<formwork_model::text::Span>| {
            let Some(span) = span else { return };
            let place = span.start as usize..span.end as usize;
            symbols.push(Symbol { name: name.to_owned(), place, kind: *kind, detail });
        };
        for member in section.value.as_object().into_iter().flatten() {
            add(&member.key, member.key_span);
        }
        // Resources of ARM templates are an array of objects with a name.
        for item in section.value.as_array().into_iter().flatten() {
            let name = item.get("name");
            let title = name.and_then(|name| name.as_str()).or_else(|| item.get("type")?.as_str());
            if let Some(title) = title {
                add(title, name.and_then(|name| name.span).or(item.span));
            }
        }
    }
    symbols
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
        let symbols = of_text(Path::new(path), &text.into());
        let found: Vec<(&str, &str)> =
            symbols.iter().map(|symbol| (symbol.detail, text.get(symbol.place.clone()).unwrap())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn declarations_are_found_in_each_language() {
        check("a.bicep", "param  a string\n  var b = 1\nvar c = 'é'\nmodule", &[("param", "a"), ("var", "c")]);
        let json = r#"{"parameters": {"a": {}}, "resources": [{"type": "T", "name": "[x]"}], "x": {"y": 1}}"#;
        check("a.json", json, &[("parameter", "\"a\""), ("resource", "\"[x]\"")]);
        let yaml = "Parameters:\n  A:\n    Type: String\nResources:\n  B:\n    Type: AWS::S3::Bucket\n";
        check("a.yaml", yaml, &[("parameter", "A"), ("resource", "B")]);
        check("a.json", "{", &[]);
    }
}
