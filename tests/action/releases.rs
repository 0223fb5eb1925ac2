//! The downloads of a release, served from this machine.

use std::collections::BTreeMap;

use crate::server::{Reply, Server};

/// A server that gives files by their paths.
pub(crate) struct Releases(Server);

impl Releases {
    /// Serves these files, each at its path.
    pub(crate) fn serve(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files: BTreeMap<_, _> = files.into_iter().collect();
        Self(Server::start(move |request| match files.get(&request.target) {
            Some(body) => Reply::json(200, body.as_slice()),
            None => Reply::json(404, ""),
        }))
    }

    /// Where the downloads begin.
    pub(crate) fn url(&self) -> String {
        format!("{}/downloads", self.0.url())
    }

    /// The paths that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.0.asked().into_iter().map(|request| request.target).collect()
    }
}
