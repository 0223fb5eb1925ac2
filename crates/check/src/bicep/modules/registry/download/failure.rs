//! Reasons why a module was not downloaded.

use std::time::Duration;

use crate::bicep::compiler::Missing;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bicep::modules) enum DownloadFailure {
    /// No connection was made.
    Unreachable(String),
    /// The download took too long.
    Late(Duration),
    /// The connection broke, or the registry is out of order. Another try may help.
    Passing(String),
    /// The registry wants to know who asks.
    Private,
    /// The registry does not have the module.
    Absent,
    /// The response is not what was requested, or formwork does not accept it.
    Wrong(String),
}

impl DownloadFailure {
    /// Returns `true` if another try may succeed.
    pub(super) const fn may_pass(&self) -> bool {
        matches!(self, Self::Passing(_))
    }

    /// Converts the failure for the compiler, with advice.
    pub(in crate::bicep::modules) fn into_missing(self) -> Missing {
        const LATER: &str = "try again later, or fill the cache of the Bicep CLI with `bicep restore`";
        match self {
            Self::Unreachable(why) => Missing::because(format!("the registry cannot be reached ({why})"), LATER),
            Self::Late(limit) => Missing::because(
                format!("the registry did not answer within {} s", limit.as_secs()),
                "increase `AZURE_BICEP_FILE_EXPANSION_TIMEOUT` in the settings, or fill the cache of the Bicep CLI with \
                 `bicep restore`",
            ),
            Self::Passing(why) => Missing::because(format!("the download failed ({why})"), LATER),
            Self::Private => Missing::because(
                "the registry needs credentials, which formwork does not use",
                "build it with the Bicep CLI, or fill its cache with `bicep restore`",
            ),
            Self::Absent => Missing::for_all("the registry has no such module", "check the path and the version"),
            Self::Wrong(why) => Missing::for_all(
                format!("what the registry sends is refused: {why}"),
                "if the Bicep CLI accepts it, fill its cache with `bicep restore`",
            ),
        }
    }
}
