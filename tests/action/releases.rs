//! The downloads of a release, served from this machine.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

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

    /// Serves files only to those who send this header `Authorization`. `files` gets the address of the server.
    pub(crate) fn serve_private<const N: usize>(
        authorization: &'static str,
        files: impl FnOnce(&str) -> [(String, Vec<u8>); N],
    ) -> Self {
        let known: Arc<OnceLock<BTreeMap<String, Vec<u8>>>> = Arc::default();
        let served = Arc::clone(&known);
        let server = Server::start(move |request| {
            let is_allowed = request.header("authorization") == [authorization];
            match served.get().and_then(|files| files.get(&request.target)).filter(|_| is_allowed) {
                Some(body) => Reply::json(200, body.as_slice()),
                None => Reply::json(404, ""),
            }
        });
        known.set(files(&server.url()).into()).unwrap();
        Self(server)
    }

    /// The address of the server.
    pub(crate) fn root(&self) -> String {
        self.0.url()
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
