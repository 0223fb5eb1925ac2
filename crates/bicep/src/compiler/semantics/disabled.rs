//! Directives that disable warnings: `#disable-next-line`, and `#disable-diagnostics` up to `#restore-diagnostics`.
//! Errors cannot be disabled.

use foldhash::HashMap;

use crate::compiler::model::Model;
use crate::compiler::units::Content;
use crate::diagnostic::Diagnostic;
use crate::text::Span;

/// Code that is disabled in a part of a file.
struct Disabled<'a> {
    code: &'a str,
    start: u32,
    end: u32,
}

/// Removes the warnings that the directives of their files disable.
pub(super) fn retain_enabled(models: &[Option<Model<'_>>], warnings: &mut Vec<Diagnostic>) {
    for model in models.iter().flatten() {
        if warnings.iter().any(|warning| warning.primary.span.file == model.file) {
            let disabled = disabled(model);
            warnings.retain(|warning| warning.primary.span.file != model.file || !is_disabled(&disabled, warning));
        }
    }
}

/// Returns the directives that disable nothing because they name no code.
pub(super) fn without_codes(model: &Model<'_>) -> Vec<Span> {
    let Content::Bicep(tree, _) = &model.unit.content else { return Vec::new() };
    let directives = tree.directives();
    directives.filter(|directive| tree.slice(*directive).split_whitespace().nth(1).is_none()).collect()
}

fn is_disabled(disabled: &[Disabled<'_>], warning: &Diagnostic) -> bool {
    let Some(code) = warning.bicep_code.map(|code| code.to_string()) else { return false };
    let Span { start, .. } = warning.primary.span;
    disabled.iter().any(|own| own.code.eq_ignore_ascii_case(&code) && own.start <= start && start < own.end)
}

fn disabled<'a>(model: &Model<'a>) -> Vec<Disabled<'a>> {
    let Content::Bicep(tree, _) = &model.unit.content else { return Vec::new() };
    let mut found: Vec<Disabled<'a>> = Vec::new();
    // Positions in `found` of codes that are disabled up to here.
    let mut open: HashMap<String, Vec<usize>> = HashMap::default();
    for directive in tree.directives() {
        let text = tree.slice(directive);
        let Some((keyword, codes)) = text.split_once(char::is_whitespace) else { continue };
        let (start, end) = match keyword {
            "#disable-next-line" => next_line(&tree.text, directive.end),
            "#disable-diagnostics" => (directive.end, u32::MAX),
            "#restore-diagnostics" => {
                for code in codes.split_whitespace() {
                    for at in open.remove(&code.to_ascii_lowercase()).unwrap_or_default() {
                        if let Some(own) = found.get_mut(at) {
                            own.end = directive.start;
                        }
                    }
                }
                continue;
            }
            _ => continue,
        };
        for code in codes.split_whitespace() {
            if end == u32::MAX {
                open.entry(code.to_ascii_lowercase()).or_default().push(found.len());
            }
            found.push(Disabled { code, start, end });
        }
    }
    found
}

/// Returns the bounds of the line after an offset.
fn next_line(text: &str, offset: u32) -> (u32, u32) {
    let at = usize::try_from(offset).unwrap_or(usize::MAX);
    let rest = text.get(at..).unwrap_or_default();
    let start = rest.find('\n').map_or(rest.len(), |end| end + 1);
    let line = rest.get(start..).unwrap_or_default();
    let end = start + line.find('\n').unwrap_or(line.len());
    (add(offset, start), add(offset, end).saturating_add(1))
}

fn add(offset: u32, length: usize) -> u32 {
    offset.saturating_add(u32::try_from(length).unwrap_or(u32::MAX))
}
