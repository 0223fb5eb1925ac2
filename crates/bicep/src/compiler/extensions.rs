//! Extensions that a file declares: what templates call them, and which types of resources are theirs.
//!
//! Their types are not known. Facts of those for Microsoft Graph are from the settings in
//! <https://github.com/microsoftgraph/msgraph-bicep-types/tree/main/generated>.

use crate::compiler::configuration::Configuration;
use crate::compiler::reference::Reference;
use crate::language::ast::{Extension, Name};
use crate::schema;

/// The version of the types of Azure that Bicep 0.46 has.
const AZURE_VERSION: &str = "0.2.896";

/// The repositories of the extensions for Microsoft Graph: the channel at the end, and the name of the extension.
const GRAPH: [(&str, &str, &str); 2] = [
    ("bicep/extensions/microsoftgraph/v1.0", "v1.0", "MicrosoftGraph"),
    ("bicep/extensions/microsoftgraph/beta", "beta", "MicrosoftGraphBeta"),
];

/// The extension for Microsoft Graph that was part of Bicep until it was published.
pub(super) const BUILT_IN_GRAPH: &str = "microsoftGraph";

/// An extension of a file.
#[derive(Debug)]
pub(super) struct ExtensionInfo<'a> {
    pub declaration: &'a Extension,
    pub source: Source,
}

/// What an extension is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Azure,
    Kubernetes,
    /// The extension for one channel of Microsoft Graph, such as `beta`, in a version.
    Graph {
        channel: &'static str,
        name: &'static str,
        version: String,
    },
    /// One whose name in templates is not known.
    Other,
    /// The name is neither that of a built-in extension nor one of the configuration.
    Missing,
}

impl<'a> ExtensionInfo<'a> {
    pub(super) fn of(declaration: &'a Extension, configuration: &Configuration) -> Self {
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

    /// The name by which the file and its template refer to it.
    pub(super) fn name(&self) -> &str {
        let specification = &self.declaration.specification;
        match (&self.declaration.alias, &self.source) {
            (Some(alias), _) => &alias.text,
            (None, Source::Graph { name, .. }) if specification.text.contains(':') => name,
            _ => &specification.text,
        }
    }

    /// The name that the file declares. `None` for a namespace that every file has.
    pub(super) fn declared(&self) -> Option<&'a Name> {
        match (&self.declaration.alias, &self.source) {
            (None, Source::Azure) => None,
            (alias, _) => Some(alias.as_ref().unwrap_or(&self.declaration.specification)),
        }
    }

    /// Its name and version in templates. `None` if they are not known.
    pub(super) fn provider(&self) -> Option<(&str, &str)> {
        match &self.source {
            Source::Azure => Some(("AzureResourceManager", AZURE_VERSION)),
            Source::Kubernetes => Some(("Kubernetes", "1.0.0")),
            Source::Graph { version, .. } => Some(("MicrosoftGraph", version)),
            Source::Other | Source::Missing => None,
        }
    }
}

fn built_in(name: &str) -> Source {
    if name.eq_ignore_ascii_case("az") {
        Source::Azure
    } else if name.eq_ignore_ascii_case("kubernetes") {
        Source::Kubernetes
    } else {
        Source::Missing
    }
}

fn published(place: &str, configuration: &Configuration) -> Source {
    let Ok(Reference::Registry(artifact)) = Reference::parse(place, configuration) else { return Source::Other };
    let known = GRAPH.iter().find(|(repository, ..)| artifact.repository == *repository && !artifact.is_digest);
    match known {
        Some((_, channel, name)) => Source::Graph { channel, name, version: artifact.version },
        None => Source::Other,
    }
}

/// The extension that publishes a type. `None` for types of Azure. `prefix` is the namespace before the type.
pub(super) fn of_type(
    extensions: &[ExtensionInfo<'_>],
    prefix: Option<&str>,
    ty: &str,
    version: Option<&str>,
) -> Option<usize> {
    let is_foreign = |own: &ExtensionInfo<'_>| own.source != Source::Azure;
    if let Some(prefix) = prefix {
        return extensions.iter().position(|own| own.name().eq_ignore_ascii_case(prefix) && is_foreign(own));
    }
    let find = |wanted: &dyn Fn(&Source) -> bool| extensions.iter().position(|own| wanted(&own.source));
    let is_unknown = |source: &Source| matches!(source, Source::Other | Source::Missing);
    // Names of types ignore case, and partners of Azure publish types, too.
    let begins = |start: &str| ty.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    if begins("Microsoft.Graph/") {
        let is_graph = |source: &Source| matches!(source, Source::Graph { .. });
        let is_channel = |source: &Source| matches!(source, Source::Graph { channel, .. } if Some(*channel) == version);
        return find(&is_channel).or_else(|| find(&is_graph)).or_else(|| find(&is_unknown));
    }
    let is_date = |version: &str| version.len() >= 10 && version.starts_with(|c: char| c.is_ascii_digit());
    let is_azure = begins("Microsoft.") || schema::type_name(ty, None).is_some();
    if is_azure || (ty.contains('/') && version.is_some_and(is_date)) {
        return None;
    }
    let kubernetes = find(&|source| *source == Source::Kubernetes).filter(|_| ty.contains('/'));
    kubernetes.or_else(|| find(&is_unknown))
}
