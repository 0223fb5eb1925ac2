//! Functions that every Bicep file can call, with their numbers of arguments.

/// The namespace of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    Sys,
    Az,
}

/// Minimum and maximum number of arguments of a function.
pub(super) struct Arity {
    pub least: usize,
    pub most: usize,
}

const ANY: usize = usize::MAX;

/// Functions of the namespace `sys`, sorted by name.
const SYS: &[(&str, usize, usize)] = &[
    ("any", 1, 1),
    ("array", 1, 1),
    ("base64", 1, 1),
    ("base64ToJson", 1, 1),
    ("base64ToString", 1, 1),
    ("bool", 1, 1),
    ("buildUri", 1, 1),
    ("cidrHost", 2, 2),
    ("cidrSubnet", 3, 3),
    ("concat", 1, ANY),
    ("contains", 2, 2),
    ("dataUri", 1, 1),
    ("dataUriToString", 1, 1),
    ("dateTimeAdd", 2, 3),
    ("dateTimeFromEpoch", 0, 1),
    ("dateTimeToEpoch", 0, 1),
    ("distinct", 1, 1),
    ("empty", 1, 1),
    ("endsWith", 2, 2),
    ("externalInput", 1, 2),
    ("fail", 1, 1),
    ("filter", 2, 2),
    ("first", 1, 1),
    ("flatten", 1, 1),
    ("format", 1, ANY),
    ("groupBy", 2, 3),
    ("guid", 1, ANY),
    ("indexOf", 2, 2),
    ("int", 1, 1),
    ("intersection", 2, ANY),
    ("items", 1, 1),
    ("join", 2, 2),
    ("json", 1, 1),
    ("last", 1, 1),
    ("lastIndexOf", 2, 2),
    ("length", 1, 1),
    ("like", 2, 2),
    ("loadDirectoryFileInfo", 1, 2),
    ("loadFileAsBase64", 1, 1),
    ("loadJsonContent", 1, 3),
    ("loadTextContent", 1, 2),
    ("loadYamlContent", 1, 3),
    ("map", 2, 2),
    ("mapValues", 2, 2),
    ("max", 1, ANY),
    ("min", 1, ANY),
    ("nameof", 1, 1),
    ("newGuid", 0, 0),
    ("objectKeys", 1, 1),
    ("padLeft", 2, 3),
    ("parseCidr", 1, 1),
    ("parseUri", 1, 1),
    ("range", 2, 2),
    ("readCliArg", 1, 1),
    ("readEnvVar", 1, 1),
    ("readEnvironmentVariable", 1, 2),
    ("reduce", 3, 3),
    ("replace", 3, 3),
    ("shallowMerge", 1, 1),
    ("skip", 2, 2),
    ("sort", 2, 2),
    ("split", 2, 2),
    ("startsWith", 2, 2),
    ("string", 1, 1),
    ("substring", 2, 3),
    ("take", 2, 2),
    ("toLower", 1, 1),
    ("toObject", 2, 3),
    ("toUpper", 1, 1),
    ("trim", 1, 1),
    ("union", 2, ANY),
    ("uniqueString", 1, ANY),
    ("uri", 2, 2),
    ("uriComponent", 1, 1),
    ("uriComponentToString", 1, 1),
    ("utcNow", 0, 1),
];

/// Functions of the namespace `az`, sorted by name.
const AZ: &[(&str, usize, usize)] = &[
    ("deployer", 0, 0),
    ("deployment", 0, 0),
    ("environment", 0, 0),
    ("extensionResourceId", 3, ANY),
    ("getSecret", 4, 5),
    ("managementGroup", 0, 1),
    ("managementGroupResourceId", 2, ANY),
    ("pickZones", 3, 5),
    ("providers", 1, 2),
    ("reference", 1, 3),
    ("resourceGroup", 0, 2),
    ("resourceId", 2, ANY),
    ("roleDefinitions", 1, 1),
    ("subscription", 0, 1),
    ("subscriptionResourceId", 2, ANY),
    ("tenant", 0, 0),
    ("tenantResourceId", 2, ANY),
    ("toLogicalZone", 3, 3),
    ("toLogicalZones", 3, 3),
    ("toPhysicalZone", 3, 3),
    ("toPhysicalZones", 3, 3),
];

/// Finds a function by its name, in one namespace or in all.
pub(super) fn find(name: &str, only: Option<Namespace>) -> Option<Arity> {
    let table: &[&[(&str, usize, usize)]] = match only {
        None => &[SYS, AZ],
        Some(Namespace::Sys) => &[SYS],
        Some(Namespace::Az) => &[AZ],
    };
    let known = table.iter().find_map(|functions| {
        let at = functions.binary_search_by(|(own, ..)| (*own).cmp(name)).ok()?;
        functions.get(at).map(|&(_, least, most)| Arity { least, most })
    });
    let is_list = name.starts_with("list") && only != Some(Namespace::Sys);
    known.or_else(|| is_list.then_some(Arity { least: 2, most: 3 }))
}

/// Returns the names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SYS.iter().chain(AZ).map(|(name, ..)| *name)
}

/// True if a variable that calls this function must be written out where it is used.
pub(super) fn requires_inlining(name: &str) -> bool {
    let names = ["reference", "toLogicalZone", "toLogicalZones", "toPhysicalZone", "toPhysicalZones", "externalInput"];
    names.contains(&name) || name.starts_with("list")
}

/// Returns the kind of the external input that a function reads. `None` for other functions, and for `externalInput()`,
/// whose first argument is the kind.
pub(super) fn input_kind(name: &str) -> Option<&'static str> {
    match name {
        "readCliArg" => Some("sys.cliArg"),
        "readEnvVar" => Some("sys.envVar"),
        _ => None,
    }
}

/// True if a function reads a file at compile time.
pub(super) fn loads_file(name: &str) -> bool {
    name.starts_with("load") && SYS.iter().any(|(own, ..)| *own == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [SYS, AZ] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
