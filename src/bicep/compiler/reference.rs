//! References to modules: paths, and artifacts in registries with their aliases.

use std::fmt;
use std::path::Path;

use rustc_hash::FxHashMap;

use crate::bicep::compiler::Host;
use crate::syntax;
use crate::value::Value;

/// How many configuration files may extend each other.
const MAX_EXTENDS: usize = 10;

/// What the path of a module means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    Local(String),
    Registry(Artifact),
}

/// An artifact in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    pub registry: String,
    pub repository: String,
    /// The tag, or the digest if `is_digest`.
    pub version: String,
    pub is_digest: bool,
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_digest { '@' } else { ':' };
        write!(f, "br:{}/{}{sign}{}", self.registry, self.repository, self.version)
    }
}

impl Artifact {
    fn parse(text: &str) -> Option<Self> {
        let (registry, rest) = text.split_once('/')?;
        let (repository, version, is_digest) = match rest.split_once('@') {
            Some((repository, digest)) => (repository, digest, true),
            None => rest.rsplit_once(':').map(|(repository, tag)| (repository, tag, false))?,
        };
        let is_safe = |part: &str| !part.is_empty() && part.split('/').all(|part| !matches!(part, "" | "." | ".."));
        (is_safe(registry) && is_safe(repository) && is_safe(version) && !version.contains('/')).then(|| Self {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            version: version.to_owned(),
            is_digest,
        })
    }

    /// The folders of the artifact in the cache of the Bicep CLI, below `br`.
    pub(crate) fn folders(&self) -> [String; 3] {
        let version = if self.is_digest {
            self.version.replace(':', "#")
        } else {
            // Names of files may ignore case, so capitals are noted as bits.
            let capitals = self.version.chars().enumerate().filter(|(_, c)| c.is_ascii_uppercase());
            let mask = capitals.fold(0_u128, |mask, (at, _)| {
                mask | u32::try_from(at).ok().and_then(|at| 1_u128.checked_shl(at)).unwrap_or(0)
            });
            if mask == 0 { format!("{}$", self.version) } else { format!("{}${mask:x}", self.version) }
        };
        [self.registry.replace(':', "$"), self.repository.replace('/', "$"), version]
    }
}

impl Reference {
    /// # Errors
    /// A message, if the reference cannot be used.
    pub(super) fn parse(text: &str, aliases: &Aliases) -> Result<Self, String> {
        let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| {
            let name = scheme.split('/').next().unwrap_or_default();
            name.len() > 1 && name.chars().all(|c| c.is_ascii_alphabetic())
        }) else {
            return Ok(Self::Local(text.replace('\\', "/")));
        };
        let invalid = || format!("`{}` is not a reference to a module in a registry", crate::text::cut(text, 80));
        match scheme.split_once('/') {
            None if scheme == "br" => Artifact::parse(rest).map(Self::Registry).ok_or_else(invalid),
            Some(("br", alias)) => {
                let prefix = aliases
                    .find(alias)
                    .ok_or_else(|| format!("the module alias `{alias}` is not in `bicepconfig.json`"))?;
                Artifact::parse(&format!("{prefix}/{rest}")).map(Self::Registry).ok_or_else(invalid)
            }
            None if scheme == "ts" => Err("template specs need the Bicep CLI".to_owned()),
            Some(("ts", _)) => Err("template specs need the Bicep CLI".to_owned()),
            _ => Err(format!("the scheme `{scheme}` of the reference is unknown")),
        }
    }
}

/// The module aliases that `bicepconfig.json` declares for a file.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// The registry and the path in it, by alias.
    names: FxHashMap<String, String>,
}

impl Aliases {
    /// The aliases of the nearest `bicepconfig.json` at or above a file.
    pub(super) fn of(file: &Path, host: &mut dyn Host) -> Self {
        let mut aliases = Self::default();
        aliases.names.insert("public".to_owned(), "mcr.microsoft.com/bicep".to_owned());
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
            next = base.and_then(|base| Some(crate::files::normalize(path.parent()?, Path::new(&base))));
            layers.push(value);
        }
        for value in layers.iter().rev() {
            aliases.add(value);
        }
        aliases
    }

    fn add(&mut self, configuration: &Value) {
        let declared = configuration.get("moduleAliases").and_then(|aliases| aliases.get("br")?.as_object());
        for member in declared.into_iter().flat_map(|object| object.iter()) {
            let Some(registry) = member.value.get("registry").and_then(Value::as_str) else { continue };
            let path = member.value.get("modulePath").and_then(Value::as_str).map(|path| format!("/{path}"));
            self.names.insert(member.key.to_string(), format!("{registry}{}", path.unwrap_or_default()));
        }
    }

    fn find(&self, alias: &str) -> Option<&str> {
        self.names.get(alias).map(String::as_str)
    }
}
