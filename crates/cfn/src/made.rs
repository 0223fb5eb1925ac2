//! The logical IDs that the Serverless Framework adds to a service.

use std::collections::BTreeSet;

use foldhash::HashSet;

use crate::value::Str;

/// Beginnings of the logical IDs of resources for events, and for APIs.
const BEGINNINGS: [&str; 12] = [
    "ApiGateway",
    "AppSync",
    "CloudFront",
    "CodeDeploy",
    "CognitoUserPool",
    "Custom",
    "HttpApi",
    "IamRoleCustom",
    "LambdaCapacityProvider",
    "S3Bucket",
    "SNSTopic",
    "Websockets",
];

/// The logical IDs that the framework adds to the resources of a service.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The IDs that are known, for messages about others.
    pub(crate) ids: HashSet<Str>,
    /// Beginnings of the IDs of the resources of functions and layers.
    pub(crate) beginnings: HashSet<String>,
    /// The lengths of these, by which the beginning of a name is looked up.
    pub(crate) lengths: BTreeSet<usize>,
    /// True if plugins and variables may make any other.
    pub(crate) is_open: bool,
}

impl Made {
    /// Returns `true` if the framework may make a resource with this logical ID.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        let mut splits = self.lengths.iter().filter_map(|&length| name.split_at_checked(length));
        self.is_open
            || self.ids.contains(name)
            || BEGINNINGS.iter().any(|start| name.starts_with(start))
            || splits
                .any(|(start, rest)| rest.starts_with(|c: char| !c.is_lowercase()) && self.beginnings.contains(start))
    }
}
