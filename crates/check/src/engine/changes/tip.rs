//! Finds the commit whose settings a check of a change uses.
//!
//! It is the newest one of the base. A branch may have left its base long ago, and whoever makes a branch decides
//! where: settings of that commit may be weak ones that were replaced since.

use crate::engine::changes::auto::{Auto, FoundBase, Wanted};
use crate::engine::changes::base::{self, Base};
use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, Notice, Query};

/// Returns the newest commit of what `found` is the base of, fetched if the clone lacks it. `None` if there is none.
pub(super) fn find(git: &Git, query: &Query, found: &FoundBase) -> Result<Option<String>, Error> {
    match query {
        Query::Uncommitted | Query::Staged => base::commit(git, "HEAD"),
        Query::Since(name) => base::commit(git, name),
        Query::Auto(Auto { wanted, remote }) => match (wanted, &found.base) {
            // The first parent of the merge, which may be newer than what the event names.
            (Wanted::PullRequest { .. }, Base::Tree(base)) if found.merged_head.is_some() => base::commit(git, base),
            (Wanted::PullRequest { base, .. }, _) => {
                let was_refused = matches!(found.notice, Some(Notice::NotFetched { .. }));
                if base::commit(git, base)?.is_none() && !was_refused {
                    let depth = base::is_shallow(git)?.then_some(1);
                    // If it cannot be fetched, there is no such commit here.
                    let _ = remote.fetch(git, depth, &[base]);
                }
                base::commit(git, base)
            }
            (Wanted::Commit { base, .. }, Base::Tree(_)) => base::commit(git, base),
            (Wanted::Branch { reference, .. }, Base::Tree(_)) => base::commit(git, reference),
            _ => Ok(None),
        },
    }
}
