//! Embedded rules that have not been read yet.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};

/// An embedded rule that has not been read yet.
#[derive(Clone, Debug)]
pub struct Unread {
    /// ID, name, severity, pillar, and whether it is optional. The texts are empty.
    pub(super) info: Arc<RuleInfo>,
    /// Index of its file.
    pub(super) file: usize,
    /// Types that its file is about, in lower case, with commas between them. Empty if it is about templates.
    pub(super) types: &'static str,
}

impl Unread {
    /// Sets the severity.
    #[must_use]
    pub(super) fn with_severity(self, severity: Severity) -> Self {
        let info = RuleInfo { severity, ..RuleInfo::clone(&self.info) };
        Self { info: Arc::new(info), ..self }
    }
}
