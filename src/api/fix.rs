//! Changes of source text that fix findings.

use crate::report::model;

/// A change of source text that fixes a finding, and changes only the values that the finding is about.
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
    /// Description of the change, as a request: ``set `httpsOnly` to `true` ``.
    pub description: String,
    /// True if the author certainly wants the change. A fix that closes a network, for example, is not safe.
    pub is_safe: bool,
    /// Edits, which have to be applied together. There is at least one, and none overlaps another.
    pub edits: Vec<Edit>,
}

/// Replaces one range of text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// Name of the file.
    pub file: String,
    /// Start of the replaced text.
    pub start: Position,
    /// End of the replaced text, after its last character. Equal to `start` for an insertion.
    pub end: Position,
    /// Inserted text.
    pub new_text: String,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in UTF-16 code units.
    pub column: u32,
}

impl Fix {
    /// Converts a fix of a report. `None` if its edits are unknown, for example in a report that was read from a
    /// file.
    pub(super) fn from_model(fix: &model::Fix) -> Option<Self> {
        let edits: Vec<Edit> = fix.edits.iter().map(Edit::from_model).collect();
        (!edits.is_empty()).then(|| Self { description: fix.title.clone(), is_safe: !fix.is_guess, edits })
    }
}

impl Edit {
    fn from_model(edit: &model::Edit) -> Self {
        Self {
            file: edit.place.file.name().to_string(),
            start: Position { line: edit.place.start.line, column: edit.place.start.column },
            end: Position { line: edit.place.end.line, column: edit.place.end.column },
            new_text: edit.replacement.clone(),
        }
    }
}
