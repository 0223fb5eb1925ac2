//! Changes of source text that fix findings.

use crate::report::model;

/// A change of source text that fixes a finding, and changes nothing but the values that the finding is about.
///
/// ```
/// use formwork::{Rules, Template};
///
/// let template = "resource app 'Microsoft.Web/sites@2022-09-01' = {
///   name: 'app'
///   location: 'westeurope'
///   properties: { httpsOnly: false }
/// }
/// ";
/// let report = Template::new("main.bicep", template).check(&Rules::builtin());
/// let finding = report.findings().find(|finding| finding.rule == "AZ-APPSERVICE-001").unwrap();
///
/// let [fix] = finding.fixes() else { panic!("there is a fix") };
/// assert_eq!(fix.description, "set `httpsOnly` to `true`");
/// assert!(fix.is_safe);
/// let edit = &fix.edits[0];
/// assert_eq!((edit.file.as_str(), edit.start.line, edit.start.column), ("main.bicep", 4, 28));
/// assert_eq!((edit.end.column, edit.new_text.as_str()), (33, "true"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// What it does, as a request: ``set `httpsOnly` to `true` ``.
    pub description: String,
    /// Whether it is certain that this is what the author wants. A fix that closes a network, for example, is not safe.
    pub is_safe: bool,
    /// The edits, which only together are the fix. There is at least one, and none overlaps another.
    pub edits: Vec<Edit>,
}

/// Replaces one range of text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// Name of the file.
    pub file: String,
    /// Where the text to remove begins.
    pub start: Position,
    /// Where it ends, behind its last character. Equal to `start` for an insertion.
    pub end: Position,
    /// The text to insert.
    pub new_text: String,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in UTF-16 code units.
    pub column: u32,
}

impl Fix {
    /// `None` if the edits are not known, as for a report that was read.
    pub(super) fn of(fix: &model::Fix) -> Option<Self> {
        let edits: Vec<Edit> = fix.edits.iter().map(Edit::of).collect();
        (!edits.is_empty()).then(|| Self { description: fix.title.clone(), is_safe: !fix.is_guess, edits })
    }
}

impl Edit {
    fn of(edit: &model::Edit) -> Self {
        let position = |point: model::Point| Position { line: point.line, column: point.column };
        Self {
            file: edit.place.file.name().to_string(),
            start: position(edit.place.start),
            end: position(edit.place.end),
            new_text: edit.replacement.clone(),
        }
    }
}
