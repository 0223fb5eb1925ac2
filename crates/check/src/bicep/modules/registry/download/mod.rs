//! Downloads modules by the interface of the [OCI distribution specification][spec]: the manifest of a tag, and then
//! the layer with the template. Nothing is trusted that does not have the digest by which it was named.
//!
//! [spec]: https://github.com/opencontainers/distribution-spec/blob/main/spec.md

mod challenge;
mod connection;
mod failure;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use foldhash::HashMap;

use tokio::runtime::Runtime;

use crate::bicep::compiler::Artifact;
use crate::bicep::modules::registry::digest;
use crate::bicep::modules::registry::download::connection::{Connection, client};
use crate::bicep::modules::registry::manifest::{LAYER, MANIFESTS, MAX_MANIFEST, Manifest};

pub(super) use self::failure::DownloadFailure;

/// Number of times that a request is sent if its answer does not arrive, or not completely.
const TRIES: u32 = 3;

/// Time before the second try. Each further wait is three times the previous one.
const WAIT: Duration = Duration::from_millis(200);

/// A module as a registry has it.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) manifest: Vec<u8>,
    pub(super) template: Vec<u8>,
}

/// The downloads of one run.
#[derive(Debug)]
pub(super) struct Downloads {
    runtime: Runtime,
    client: reqwest::Client,
    timeout: Duration,
    /// Registries that did not answer. They are not asked again, so that a run without a network is not slow.
    silent: Mutex<HashMap<String, DownloadFailure>>,
}

impl Downloads {
    /// Sends nothing yet. The error is a message.
    pub(super) fn new(timeout: Duration) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("no connection can be made: {error}"))?;
        Ok(Self { runtime, client: client()?, timeout, silent: Mutex::default() })
    }

    /// Downloads one module, in no more than the time of one. `limit` is the greatest length of its template, in bytes.
    pub(super) fn module(&self, artifact: &Artifact, limit: u64) -> Result<Module, DownloadFailure> {
        let silent = || self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = silent().get(&artifact.registry) {
            return Err(failure.clone());
        }
        let module = self.runtime.block_on(async {
            let fetched = self.fetch(artifact, limit);
            tokio::time::timeout(self.timeout, fetched).await.unwrap_or(Err(DownloadFailure::Late(self.timeout)))
        });
        if let Err(failure @ (DownloadFailure::Unreachable(_) | DownloadFailure::Late(_))) = &module {
            silent().insert(artifact.registry.clone(), failure.clone());
        }
        module
    }

    async fn fetch(&self, artifact: &Artifact, limit: u64) -> Result<Module, DownloadFailure> {
        let mut connection = Connection::new(&self.client, artifact)?;
        let mut wait = WAIT;
        for _ in 1..TRIES {
            match Self::attempt(&mut connection, artifact, limit).await {
                Err(failure) if failure.may_pass() => tokio::time::sleep(wait).await,
                ended => return ended,
            }
            wait *= 3;
        }
        Self::attempt(&mut connection, artifact, limit).await
    }

    async fn attempt(
        connection: &mut Connection<'_>,
        artifact: &Artifact,
        limit: u64,
    ) -> Result<Module, DownloadFailure> {
        let answer = connection.get(&format!("manifests/{}", artifact.version), MANIFESTS, MAX_MANIFEST).await?;
        let named = if artifact.is_digest { Some(artifact.version.as_str()) } else { answer.digest.as_deref() };
        if let Some(named) = named {
            digest::compare("manifest", named, &answer.body).map_err(DownloadFailure::Wrong)?;
        }
        let manifest = Manifest::parse(&answer.body).map_err(DownloadFailure::Wrong)?;
        let layer = manifest.template().map_err(DownloadFailure::Wrong)?;
        if layer.size > limit {
            return Err(DownloadFailure::Wrong(format!(
                "its template has {} bytes, more than the limit of {limit}",
                layer.size
            )));
        }
        digest::refuse_unknown(&layer.digest).map_err(DownloadFailure::Wrong)?;
        let template = connection.get(&format!("blobs/{}", layer.digest), LAYER, layer.size).await?.body;
        digest::compare("template", &layer.digest, &template).map_err(DownloadFailure::Wrong)?;
        Ok(Module { manifest: answer.body, template })
    }
}
