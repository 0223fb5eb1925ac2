//! Published types of the clouds, found by name and version. They are unpacked when they are first needed.

use std::sync::OnceLock;

use crate::archive::Source;
use crate::published::pack::{Block, Id, Pack, ResourceType, Version};

pub(super) use crate::versions::{DAY, is_preview};

/// The types of Azure, made by `tools/typegen` from `Azure/bicep-types-az`.
static AZURE: OnceLock<Option<Pack>> = OnceLock::new();

// A constant would be in the program once for each place that uses it.
static AZURE_BYTES: &[u8] = include_bytes!("../../data/azure.types");

/// A separate copy of Azure's types, for benchmarks of opening it and looking up types.
#[derive(Debug)]
pub struct Table(Pack);

impl Table {
    /// Opens the embedded data without unpacking anything.
    pub fn open() -> Option<Self> {
        Pack::open(AZURE_BYTES).map(Self)
    }

    /// True if a type has a version. The first type of a provider unpacks the provider's directory.
    pub fn has(&self, type_name: &str, version: &str) -> bool {
        let block = type_name.split_once('/').and_then(|(provider, _)| self.0.provider(provider));
        let kind = block.and_then(|block| Some((block, block.find(type_name)?)));
        kind.is_some_and(|(block, kind)| kind.versions.iter().any(|known| block.text(known.name) == version))
    }
}

/// Returns Azure's types.
pub(super) fn azure() -> Option<&'static Pack> {
    AZURE.get_or_init(|| Pack::open(AZURE_BYTES)).as_ref()
}

/// The schemas of CloudFormation's resource types, made by `tools/typegen` from those in the package `cfn-lint`.
static CLOUDFORMATION: OnceLock<Option<Pack>> = OnceLock::new();

static CLOUDFORMATION_BYTES: &[u8] = include_bytes!("../../data/cloudformation.types");

/// Returns CloudFormation's types.
pub(super) fn cloudformation() -> Option<&'static Pack> {
    CLOUDFORMATION.get_or_init(|| Pack::open(CLOUDFORMATION_BYTES)).as_ref()
}

/// Returns the sources of the embedded data.
pub fn sources() -> impl Iterator<Item = &'static Source> {
    [azure(), cloudformation()].into_iter().flatten().map(Pack::source)
}

/// A resource type and the block that describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DescribedType {
    pub(super) block: &'static Block,
    pub(super) kind: &'static ResourceType,
}

impl DescribedType {
    /// Returns the type with this full name, case-insensitive.
    pub(super) fn new(block: &'static Block, name: &str) -> Option<Self> {
        Some(Self { block, kind: block.find(name)? })
    }

    /// Returns the version with this name, case-insensitive.
    pub(super) fn version(self, name: &str) -> Option<&'static Version> {
        self.kind.versions.iter().find(|version| self.block.text(version.name).eq_ignore_ascii_case(name))
    }

    /// Returns the bodies of a version, or of all versions without one.
    pub(super) fn bodies(self, version: Option<&str>) -> Vec<Id> {
        let versions =
            self.kind.versions.iter().filter(|known| {
                version.is_none_or(|version| self.block.text(known.name).eq_ignore_ascii_case(version))
            });
        versions.flat_map(|version| version.bodies.iter().copied()).collect()
    }

    /// Returns the newest version whose body is described.
    pub(super) fn newest(self) -> Option<&'static Version> {
        self.kind.versions.iter().rev().find(|version| !version.bodies.is_empty())
    }
}
