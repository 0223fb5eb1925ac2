//! Builds of Bicep files without an operating system, which starts no Bicep CLI.

use crate::engine::bicep::harvest::Made;
use crate::engine::bicep::{Harvest, Stage};
use crate::engine::inputs::Input;

impl Stage<'_> {
    /// Returns `None`: only the built-in compiler builds files.
    #[expect(clippy::unused_self, reason = "the other build needs it")]
    pub(super) fn build_with_tool(&mut self, _: &[Input], _: &mut Harvest) -> Option<Made> {
        None
    }
}
