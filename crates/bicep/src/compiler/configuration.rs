//! Settings from `bicepconfig.json`.

use std::path::{Path, PathBuf};

use foldhash::HashMap;

use crate::compiler::features::Features;
use crate::compiler::host::Host;
use crate::compiler::linter_settings::Linter;
use crate::syntax;
use crate::value::Value;

/// Maximum number of configuration files that extend each other.
const MAX_EXTENDS: usize = 10;

/// Settings of the nearest `bicepconfig.json` at or above a file, merged with those that it extends.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    /// Registry and path, by module alias.
    aliases: HashMap<String, String>,
    /// Sources of extensions, by the name that files use.
    extensions: HashMap<String, String>,
    /// Folder of the module cache, if a configuration names one. A leading `~` is the home folder.
    cache_root: Option<PathBuf>,
    pub linter: Linter,
    pub features: Features,
}

impl Configuration {
    /// Reads the configuration that applies to a file.
    pub(super) fn load(file: &Path, host: &mut dyn Host) -> Self {
        let mut configuration = Self::default();
        configuration.aliases.insert("public".to_owned(), "mcr.microsoft.com/bicep".to_owned());
        let mut next = None;
        for folder in file.ancestors().skip(1) {
            let path = folder.join("bicepconfig.json");
            if !host.is_inside(&path) {
                break;
            }
            if host.is_file(&path) {
                next = Some(path);
                break;
            }
        }
        let mut layers = Vec::new();
        while let Some(path) = next.take().filter(|path| layers.len() < MAX_EXTENDS && host.is_inside(path)) {
            let Ok((file, text)) = host.open(&path) else { break };
            let Some(value) = syntax::json::parse(file, &text, 50).value else { break };
            let base = value.get("extends").and_then(Value::as_str).map(ToOwned::to_owned);
            next = base.and_then(|base| Some(crate::path::normalize(path.parent()?, Path::new(&base))));
            layers.push((path, value));
        }
        for (path, value) in layers.iter().rev() {
            configuration.add(value);
            if let Some(root) = value.get("cacheRootDirectory").and_then(Value::as_str) {
                let is_of_home = root.starts_with('~');
                let folder = path.parent().filter(|_| !is_of_home).unwrap_or(Path::new(""));
                configuration.cache_root = Some(folder.join(root));
            }
        }
        configuration
    }

    /// Merges a configuration, which overrides earlier ones.
    fn add(&mut self, given: &Value) {
        self.linter.add(given);
        self.features.add(given);
        let aliases = given.get("moduleAliases").and_then(|aliases| aliases.get("br")?.as_object());
        for member in aliases.into_iter().flat_map(|object| object.iter()) {
            let Some(registry) = member.value.get("registry").and_then(Value::as_str) else { continue };
            let path = member.value.get("modulePath").and_then(Value::as_str).map(|path| format!("/{path}"));
            self.aliases.insert(member.key.to_string(), format!("{registry}{}", path.unwrap_or_default()));
        }
        let extensions = given.get("extensions").and_then(Value::as_object);
        for member in extensions.into_iter().flat_map(|object| object.iter()) {
            let place = member.value.as_str().map(ToOwned::to_owned);
            self.extensions.extend(place.map(|place| (member.key.to_lowercase(), place)));
        }
    }

    pub(super) fn cache_root(&self) -> Option<&Path> {
        self.cache_root.as_deref()
    }

    /// Returns the registry and path of a module alias.
    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        self.aliases.get(name).map(String::as_str)
    }

    /// Returns the source of an extension.
    pub(super) fn extension(&self, name: &str) -> Option<&str> {
        self.extensions.get(&name.to_lowercase()).map(String::as_str)
    }
}
