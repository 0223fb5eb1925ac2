//! Finds modules in the caches of the system, and downloads those that are not there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use foldhash::HashMap;

use crate::bicep::compiler::{Artifact, Missing};
use crate::bicep::modules::registry::cache;
#[cfg(feature = "download")]
use crate::bicep::modules::registry::download;
use crate::bicep::modules::registry::trust::{self, Trust};
use crate::bicep::modules::{FoundModule, ModuleSource};
use crate::bicep::{Options, Registry};

/// Result of the attempt to download a module, which is made once in a run.
type Slot = Arc<OnceLock<Result<FoundModule, Missing>>>;

/// Finds the modules of one run.
#[derive(Debug, Default)]
pub struct Modules {
    home: Option<PathBuf>,
    /// Folder in which downloaded modules are stored. `None` if there is no such folder.
    own: Option<PathBuf>,
    is_offline: bool,
    trust: Trust,
    #[cfg_attr(not(feature = "download"), expect(dead_code, reason = "nothing is downloaded"))]
    timeout: Duration,
    known: Mutex<HashMap<String, Slot>>,
    #[cfg(feature = "download")]
    downloads: OnceLock<Result<download::Downloads, String>>,
}

impl Modules {
    /// Takes the home folder and the trusted registries from the environment `variables`. `cache` is formwork's cache
    /// folder, `is_offline` says that nothing is downloaded, and no module may take longer than `timeout`.
    pub fn new(
        variables: &BTreeMap<String, String>,
        cache: Option<&Path>,
        is_offline: bool,
        timeout: Duration,
    ) -> Self {
        let home = ["HOME", "USERPROFILE"].into_iter().find_map(|name| variables.get(name));
        Self {
            home: home.filter(|home| !home.is_empty()).map(PathBuf::from),
            own: cache.map(|cache| cache.join("modules")),
            is_offline,
            trust: Trust::new(variables.get(trust::VARIABLE).map(String::as_str)),
            timeout,
            ..Self::default()
        }
    }

    #[cfg(feature = "download")]
    fn download(&self, artifact: &Artifact, limit: u64) -> Result<FoundModule, Missing> {
        let downloads = self.downloads.get_or_init(|| download::Downloads::new(self.timeout)).as_ref();
        let module = downloads
            .map_err(|why| Missing::because(why.clone(), String::new()))
            .and_then(|downloads| downloads.module(artifact, limit).map_err(download::DownloadFailure::into_missing))?;
        let own = self.own.as_deref().unwrap_or(Path::new(""));
        let path = cache::place(own, artifact);
        // A cache that cannot be written costs the next run a download, and this one nothing.
        let store = |root: &Path| cache::store(root, artifact, &module.manifest, &module.template);
        let is_stored = self.own.as_deref().is_some_and(|root| store(root).is_ok());
        Ok(FoundModule { path, text: (!is_stored).then(|| module.template.into()) })
    }

    #[cfg(not(feature = "download"))]
    #[expect(clippy::unused_self, reason = "the other build needs it")]
    fn download(&self, _: &Artifact, _: u64) -> Result<FoundModule, Missing> {
        Err(Missing::because(
            "this build of formwork cannot use the network",
            "use a build with the feature `github`, as released programs have it",
        ))
    }
}

impl Options {
    /// Sets the permission to fetch modules to `registry`, and the folder for them to formwork's cache folder.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry, cache: Option<&Path>) -> Self {
        self.registry = registry;
        self.modules = Arc::new(Modules::new(&self.variables, cache, self.is_offline(), self.timeout));
        self
    }
}

impl ModuleSource for Modules {
    fn find(&self, artifact: &Artifact, root: Option<&Path>, limit: u64) -> Result<FoundModule, Missing> {
        let folder = match root {
            Some(root) => match root.strip_prefix("~") {
                Ok(rest) => self.home.as_ref().map(|home| home.join(rest)),
                Err(_) => Some(root.to_owned()),
            },
            None => self.home.as_ref().map(|home| home.join(".bicep")),
        };
        let cached = [folder.as_deref(), self.own.as_deref()].into_iter().flatten();
        let mut refused = None;
        for path in cached.into_iter().filter_map(|folder| cache::find(folder, artifact)) {
            if !artifact.is_digest {
                return Ok(FoundModule { path, text: None });
            }
            // What is read is what was compared.
            match cache::verified(&path, artifact, limit) {
                Ok(text) => return Ok(FoundModule { path, text: Some(text.into()) }),
                Err(why) => refused = Some(format!("what is in the cache is not used: {why}")),
            }
        }
        if self.is_offline {
            if let Some(why) = refused {
                return Err(Missing::because(why, "run without `--offline`, or `bicep restore --force`"));
            }
            return Err(Missing::because("`--offline` prevents downloads", "run without `--offline`"));
        }
        if !self.trust.includes(&artifact.registry) {
            return Err(Missing::because(
                format!("`{}` is not a registry that formwork downloads from", artifact.registry),
                format!("name the registry in `{}` if you trust it", trust::VARIABLE),
            ));
        }
        let slot = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(artifact.to_string()).or_default())
        };
        slot.get_or_init(|| self.download(artifact, limit)).clone()
    }
}
