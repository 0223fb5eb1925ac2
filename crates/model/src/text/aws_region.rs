//! Codes of the Regions of AWS.

/// Returns `true` if a text has the form of the code of a Region of AWS, `eu-west-1`. Codes of zones (`eu-west-1a`) and of local zone groups
/// (`us-west-2-lax-1`) do not.
pub fn is_aws_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [country, between @ .., number] = parts.as_slice() else { return false };

    let is_number = number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    country.len() == 2
        && is_word(country)
        && !between.is_empty()
        && between.iter().all(|word| is_word(word))
        && is_number
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::is_aws_region;

    #[test]
    fn regions_are_told_from_zones() {
        for region in ["eu-west-1", "us-gov-west-1", "us-iso-east-1", "ap-southeast-7"] {
            assert!(is_aws_region(region), "{region}");
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
            assert!(!is_aws_region(other), "{other}");
        }
    }
}
