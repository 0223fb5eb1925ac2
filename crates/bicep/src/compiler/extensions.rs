//! Extensions that a file declares: their names in templates, and the resource types that belong to them.
//!
//! The types themselves are unknown. Facts about Microsoft Graph:
//! <https://github.com/microsoftgraph/msgraph-bicep-types/tree/main/generated>.

use crate::compiler::configuration::Configuration;
use crate::compiler::functions::Namespace;
use crate::compiler::reference::ModuleReference;
use crate::language::ast::{Extension, Name};
use crate::schema;

/// Version of the Azure types in Bicep 0.46.
const AZURE_VERSION: &str = "0.2.896";

/// Repositories of the Microsoft Graph extensions, with their channels and names.
const GRAPH: [(&str, &str, &str); 2] = [
    ("bicep/extensions/microsoftgraph/v1.0", "v1.0", "MicrosoftGraph"),
    ("bicep/extensions/microsoftgraph/beta", "beta", "MicrosoftGraphBeta"),
];

/// Microsoft Graph extension that was built into Bicep before it was published.
pub(super) const BUILT_IN_GRAPH: &str = "microsoftGraph";

/// An extension that a file declares.
#[derive(Debug)]
pub(super) struct ExtensionInfo<'a> {
    pub declaration: &'a Extension,
    pub source: ExtensionSource,
}

/// Origin of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExtensionSource {
    Azure,
    /// The functions and types that every file has.
    System,
    Kubernetes,
    /// A channel of Microsoft Graph, such as `beta`, in a version.
    Graph {
        channel: &'static str,
        name: &'static str,
        version: String,
    },
    /// An extension whose name in templates is unknown.
    Other,
    /// Neither a built-in extension nor one of the configuration.
    Missing,
}

impl<'a> ExtensionInfo<'a> {
    /// Resolves the origin of an extension.
    pub(super) fn resolve(declaration: &'a Extension, configuration: &Configuration) -> Self {
        // An older syntax has a version after the name.
        let written = &*declaration.specification.text;
        let name = if written.contains(':') { written } else { written.split('@').next().unwrap_or_default() };
        let is_path = name.contains([':', '/', '.']);
        let place = if is_path { Some(name) } else { configuration.extension(name) };
        let source = match place.filter(|place| !place.starts_with("builtin:")) {
            Some(place) => published(place, configuration),
            None => built_in(name),
        };
        Self { declaration, source }
    }

    /// Returns the name by which the file and its template refer to the extension.
    pub(super) fn name(&self) -> &str {
        let specification = &self.declaration.specification;
        match (&self.declaration.alias, &self.source) {
            (Some(alias), _) => &alias.text,
            (None, ExtensionSource::Graph { name, .. }) if specification.text.contains(':') => name,
            _ => &specification.text,
        }
    }

    /// Returns the name that the file declares, or `None` for a namespace that every file has.
    pub(super) fn declared(&self) -> Option<&'a Name> {
        match (&self.declaration.alias, &self.source) {
            (None, ExtensionSource::Azure | ExtensionSource::System) => None,
            (alias, _) => Some(alias.as_ref().unwrap_or(&self.declaration.specification)),
        }
    }

    /// Returns the namespace of built-in functions that the extension stands for.
    pub(super) fn namespace(&self) -> Option<Namespace> {
        match self.source {
            ExtensionSource::Azure => Some(Namespace::Az),
            ExtensionSource::System => Some(Namespace::Sys),
            _ => None,
        }
    }

    /// Returns the name and the version in templates, if they are known.
    pub(super) fn provider(&self) -> Option<(&str, &str)> {
        match &self.source {
            ExtensionSource::Azure => Some(("AzureResourceManager", AZURE_VERSION)),
            ExtensionSource::Kubernetes => Some(("Kubernetes", "1.0.0")),
            ExtensionSource::Graph { version, .. } => Some(("MicrosoftGraph", version)),
            ExtensionSource::System | ExtensionSource::Other | ExtensionSource::Missing => None,
        }
    }
}

fn built_in(name: &str) -> ExtensionSource {
    if name.eq_ignore_ascii_case("az") {
        ExtensionSource::Azure
    } else if name.eq_ignore_ascii_case("sys") {
        ExtensionSource::System
    } else if name.eq_ignore_ascii_case("kubernetes") {
        ExtensionSource::Kubernetes
    } else {
        ExtensionSource::Missing
    }
}

fn published(place: &str, configuration: &Configuration) -> ExtensionSource {
    let Ok(ModuleReference::Registry(artifact)) = ModuleReference::parse(place, configuration) else {
        return ExtensionSource::Other;
    };
    let known = GRAPH.iter().find(|(repository, ..)| artifact.repository == *repository && !artifact.is_digest);
    match known {
        Some((_, channel, name)) => ExtensionSource::Graph { channel, name, version: artifact.version },
        None => ExtensionSource::Other,
    }
}

/// Finds the extension that publishes a type. `None` for Azure types. `prefix` is the namespace before the type.
pub(super) fn of_type(
    extensions: &[ExtensionInfo<'_>],
    prefix: Option<&str>,
    ty: &str,
    version: Option<&str>,
) -> Option<usize> {
    if let Some(prefix) = prefix {
        return extensions
            .iter()
            .position(|own| own.name().eq_ignore_ascii_case(prefix) && own.source != ExtensionSource::Azure);
    }
    if begins_with(ty, "Microsoft.Graph/") {
        return find_source(
            extensions,
            |source| matches!(source, ExtensionSource::Graph { channel, .. } if Some(*channel) == version),
        )
        .or_else(|| find_source(extensions, |source| matches!(source, ExtensionSource::Graph { .. })))
        .or_else(|| find_source(extensions, is_unknown));
    }
    let is_azure = begins_with(ty, "Microsoft.") || schema::type_name(ty, None).is_some();
    if is_azure || (ty.contains('/') && version.is_some_and(is_date)) {
        return None;
    }
    find_source(extensions, |source| *source == ExtensionSource::Kubernetes)
        .filter(|_| ty.contains('/'))
        .or_else(|| find_source(extensions, is_unknown))
}

fn find_source(extensions: &[ExtensionInfo<'_>], matches: impl Fn(&ExtensionSource) -> bool) -> Option<usize> {
    extensions.iter().position(|own| matches(&own.source))
}

fn is_unknown(source: &ExtensionSource) -> bool {
    matches!(source, ExtensionSource::Other | ExtensionSource::Missing)
}

/// True if a type begins with `start`. Types are case-insensitive.
fn begins_with(ty: &str, start: &str) -> bool {
    ty.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
}

/// True if a version is a date, as those of Azure types. Partners of Azure publish types, too.
fn is_date(version: &str) -> bool {
    version.len() >= 10 && version.starts_with(|c: char| c.is_ascii_digit())
}
