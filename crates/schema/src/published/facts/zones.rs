//! Availability Zones, in which a resource lies.

use crate::diagnostic::Check;
use crate::published::facts::{Remark, text};
use crate::value::Value;

/// Where a zone is needed, a Region is none. Reference:
/// <https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-availability-zones.html>.
pub(super) fn zone(value: &Value) -> Vec<Remark<'_>> {
    let remark = |region| {
        let message = format!("`{region}` is a Region; expected one of its Availability Zones, such as `{region}a`");
        Remark::new(Check::SchemaValue, &[], message)
    };
    text(value).filter(|text| is_region(text)).map(remark).into_iter().collect()
}

/// Whether a text has the form of the code of a Region, `eu-west-1`, which those of zones (`eu-west-1a`) and of groups of
/// local zones (`us-west-2-lax-1`) do not have.
fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [country, between @ .., number] = parts.as_slice() else { return false };
    let is_word = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_number = number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    country.len() == 2 && is_word(country) && !between.is_empty() && between.iter().all(is_word) && is_number
}

#[cfg(test)]
mod tests {
    use super::is_region;

    #[test]
    fn regions_are_told_from_zones() {
        for region in ["eu-west-1", "us-gov-west-1", "us-iso-east-1", "ap-southeast-7"] {
            assert!(is_region(region), "{region}");
        }
        for other in [
            "eu-west-1a",
            "us-west-2-lax-1a",
            "us-west-2-lax-1",
            "use1-az1",
            "eu-west",
            "us-east-1-wl1-bos-wlz-1",
            "",
            "a-1",
        ] {
            assert!(!is_region(other), "{other}");
        }
    }
}
