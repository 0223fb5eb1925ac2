//! The language versions that support the keywords of aggregate types.

use crate::value::Value;

/// The version that messages recommend.
pub(super) const ADVISED: &str = "2.0";

/// Returns the `languageVersion` of a template. `None` if it has none.
pub(super) fn written(template: &Value) -> Option<&str> {
    template.get("languageVersion").and_then(Value::as_str)
}

/// Returns `true` if a version has the feature `AggregateTypeValidation`: 1.9-experimental, 1.10-experimental, and 2.0
/// or later. Azure also requires the feature `UserDefinedConstraints` while `validate` is in preview. That feature
/// depends on the subscription, so it is not checked here.
pub(super) fn has_aggregate_types(version: Option<&str>) -> bool {
    let Some(version) = version else { return false };
    let (number, suffix) = version.split_once('-').map_or((version, None), |(number, suffix)| (number, Some(suffix)));
    let is_experimental = match suffix {
        None => false,
        Some(suffix) if suffix.eq_ignore_ascii_case("experimental") => true,
        Some(_) => return false,
    };
    let Some((major, minor)) = number.split_once('.') else { return false };
    match (major.parse::<u32>(), minor.parse::<u32>()) {
        (Ok(1), Ok(minor)) => is_experimental && minor >= 9,
        (Ok(major), Ok(_)) => major >= 2,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_of_the_proposal_and_later_ones_have_the_keywords() {
        for version in ["1.9-experimental", "1.10-experimental", "2.0", "2.1-experimental", "2.2-experimental"] {
            assert!(has_aggregate_types(Some(version)), "{version}");
        }
        for version in ["1.0", "1.9", "1.8-experimental", "2", "2.0-preview", "", "two.zero"] {
            assert!(!has_aggregate_types(Some(version)), "{version}");
        }
        assert!(!has_aggregate_types(None));
    }
}
