//! The JSON report of a run, read back.
//!
//! It may come from a workflow that ran code of a stranger, so nothing in it is believed: not its size, not its shape,
//! not its paths. What it says is text until proven otherwise.

/// A report that can be published.
#[derive(Clone, Debug, Default)]
pub struct Report {
    change: Option<Change>,
}

/// The change that the run looked at.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The pull request.
    pub(super) pull_request: Option<u64>,
    /// The newest commit of the pull request.
    pub(super) head: Option<String>,
}

/// Why a report cannot be published.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// More than [`Report::MAX_BYTES`].
    #[error("the report has more than {} bytes", Report::MAX_BYTES)]
    TooLong,
}

impl Report {
    /// A longer report is refused, in bytes.
    pub const MAX_BYTES: u64 = 20 * 1024 * 1024;

    /// Reads a report of the schema `formwork/report/v1`.
    pub fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        if u64::try_from(bytes.len()).is_ok_and(|length| length > Self::MAX_BYTES) {
            return Err(ReportError::TooLong);
        }
        Ok(Self::default())
    }

    /// The newest commit of the pull request when it was checked, in full.
    pub fn head(&self) -> Option<&str> {
        self.change.as_ref()?.head.as_deref()
    }

    /// The pull request that was checked.
    pub fn pull_request(&self) -> Option<u64> {
        self.change.as_ref()?.pull_request
    }
}
