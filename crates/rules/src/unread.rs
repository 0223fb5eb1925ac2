//! Rules of which only the name is read.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};

/// An embedded rule that is not read yet.
#[derive(Clone, Debug)]
pub struct Unread {
    /// Its ID, name, severity, pillar, and whether it is optional. The texts are empty.
    pub(super) info: Arc<RuleInfo>,
    /// The index of its file.
    pub(super) file: usize,
    /// The types that its file is about, in lower case, with commas between them. Without any, it is about templates.
    pub(super) types: &'static str,
}

impl Unread {
    /// The same rule with another severity.
    #[must_use]
    pub(super) fn with_severity(self, severity: Severity) -> Self {
        let info = RuleInfo { severity, ..RuleInfo::clone(&self.info) };
        Self { info: Arc::new(info), ..self }
    }
}
