//! Formats of strings that types declare: IDs and names of resources, ARNs, and addresses.
//!
//! References: the pages of each service on its identifiers, and the rules `E1150` to `E1164` of cfn-lint 1.58.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Describes a format for a message if `text` does not have it. Returns `None` if it has it, or if the format is
/// unknown. An empty string is accepted: it stands for a value that is set later, such as the default of a parameter.
pub(super) fn expected(format: &str, text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return None;
    }
    let (fits, expected) = match format {
        "AWS::ACM::Certificate.Arn" => {
            (is_arn(text, "acm", |name| name.starts_with("certificate/")), "the ARN of a certificate")
        }
        "AWS::EC2::Image.Id" => (is_id(text, "ami-"), "the ID of an image, such as `ami-0123456789abcdef0`"),
        "AWS::EC2::SecurityGroup.Id" | "AWS::EC2::SecurityGroup.Ids" => {
            (is_id(text, "sg-"), "the ID of a security group, such as `sg-0123456789abcdef0`")
        }
        "AWS::EC2::Subnet.Id" | "AWS::EC2::Subnet.Ids" => {
            (is_id(text, "subnet-"), "the ID of a subnet, such as `subnet-0123456789abcdef0`")
        }
        "AWS::EC2::VPC.Id" => (is_id(text, "vpc-"), "the ID of a VPC, such as `vpc-0123456789abcdef0`"),
        "AWS::IAM::Role.Arn" => (is_arn(text, "iam", |name| name.starts_with("role/")), "the ARN of a role"),
        "AWS::KMS::Key.Arn" => (
            is_arn(text, "kms", |name: &str| name.starts_with("key/") || name.starts_with("alias/")),
            "the ARN of a key",
        ),
        "AWS::KMS::Key.Id" => (is_key_id(text), "the ID of a key"),
        "AWS::KMS::Alias.AliasName" => (is_alias(text), "the name of an alias, such as `alias/x`"),
        "AWS::Lambda::Function.Arn" => {
            (is_arn(text, "lambda", |name| name.starts_with("function:")), "the ARN of a function")
        }
        "AWS::SNS::Topic.Arn" => (is_arn(text, "sns", |name| !name.is_empty()), "the ARN of a topic"),
        "AWS::SQS::Queue.Arn" => (is_arn(text, "sqs", |name| !name.is_empty()), "the ARN of a queue"),
        "AWS::Logs::LogGroup.Name" => (is_log_group(text), "the name of a log group"),
        "ipv4" => (text.parse::<Ipv4Addr>().is_ok(), "an IPv4 address"),
        "ipv4-network" => (is_network::<Ipv4Addr>(text, 32), "an IPv4 network, such as `10.0.0.0/16`"),
        "ipv6" => (text.parse::<Ipv6Addr>().is_ok(), "an IPv6 address"),
        "ipv6-network" => (is_network::<Ipv6Addr>(text, 128), "an IPv6 network, such as `2001:db8::/56`"),
        _ => return None,
    };
    (!fits).then_some(expected)
}

/// True if a string is `prefix` and 8 or 17 hexadecimal digits, as EC2 writes IDs. IDs of images may have other
/// letters.
fn is_id(text: &str, prefix: &str) -> bool {
    let Some(digits) = text.strip_prefix(prefix) else { return false };
    let is_digit: fn(&u8) -> bool = if prefix == "ami-" { u8::is_ascii_alphanumeric } else { u8::is_ascii_hexdigit };
    matches!(digits.len(), 8 | 17) && digits.as_bytes().iter().all(is_digit)
}

/// True if a string has the form `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`, with a resource for which `is_right`
/// returns `true`.
fn is_arn(text: &str, service: &str, is_right: impl Fn(&str) -> bool) -> bool {
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    let [arn, partition, found, _, account, resource] = parts.as_slice() else { return false };
    let is_account = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
    *arn == "arn" && partition.starts_with("aws") && *found == service && is_account && is_right(resource)
}

/// True if a string is a UUID, the ID of a multi-Region key, or an alias of a key.
fn is_key_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    match parts.as_slice() {
        ["mrk", digits] => is_hex(digits, 32),
        [first, middle @ .., last] if middle.len() == 3 => {
            is_hex(first, 8) && middle.iter().all(|part| is_hex(part, 4)) && is_hex(last, 12)
        }
        _ => is_alias(text),
    }
}

/// True if a string has `length` characters, all of which are hexadecimal digits.
fn is_hex(part: &str, length: usize) -> bool {
    part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_alias(text: &str) -> bool {
    text.strip_prefix("alias/").is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte: u8| byte.is_ascii_alphanumeric() || b":/_-".contains(&byte))
    })
}

fn is_log_group(text: &str) -> bool {
    (1..=512).contains(&text.len())
        && text.bytes().all(|byte: u8| byte.is_ascii_alphanumeric() || b".-_/#".contains(&byte))
}

fn is_network<A: std::str::FromStr>(text: &str, bits: u8) -> bool {
    let parts = text.split_once('/').and_then(|(address, prefix)| {
        let is_plain = prefix.bytes().all(|byte| byte.is_ascii_digit());
        Some((address.parse::<A>().ok()?, prefix.parse::<u8>().ok().filter(|_| is_plain)?))
    });
    parts.is_some_and(|(_, prefix)| prefix <= bits)
}

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn each_format_takes_its_strings() {
        for (format, right, wrong) in [
            (
                "AWS::ACM::Certificate.Arn",
                "arn:aws:acm:eu-west-1:123456789012:certificate/a",
                "arn:aws:acm:eu-west-1:1:certificate/a",
            ),
            ("AWS::EC2::Image.Id", "ami-0123456789abcdefg", "ami-123456"),
            ("AWS::EC2::SecurityGroup.Id", "sg-12345678", "sg-test"),
            ("AWS::EC2::Subnet.Ids", "subnet-0123456789abcdef0", "foo"),
            ("AWS::EC2::VPC.Id", "vpc-12345678", "vpc-1234567g"),
            ("AWS::IAM::Role.Arn", "arn:aws-cn:iam::123456789012:role/x", "role/x"),
            ("AWS::KMS::Key.Arn", "arn:aws:kms:eu-west-1:123456789012:alias/x", "arn:aws:kms:x"),
            ("AWS::KMS::Key.Id", "12345678-1234-1234-1234-123456789012", "arn:aws:kms:x"),
            ("AWS::KMS::Key.Id", "mrk-1234abcd12ab34cd56ef1234567890ab", "mrk-1234"),
            ("AWS::KMS::Alias.AliasName", "alias/aws/ebs", "aws/ebs"),
            ("AWS::Lambda::Function.Arn", "arn:aws:lambda:eu-west-1:123456789012:function:f:1", "f"),
            ("AWS::SNS::Topic.Arn", "arn:aws:sns:eu-west-1:123456789012:x", "arn:aws:sqs:eu-west-1:123456789012:x"),
            ("AWS::SQS::Queue.Arn", "arn:aws:sqs:eu-west-1:123456789012:x", "x"),
            ("AWS::Logs::LogGroup.Name", "/aws/lambda/x", "a b"),
            ("ipv4", "10.0.0.1", "999.1.1.1"),
            ("ipv4-network", "10.0.0.0/8", "10.0.0.0/33"),
            ("ipv6", "::1.2.3.4", "1::2::3"),
            ("ipv6-network", "2001:db8::/56", "2001:db8::"),
        ] {
            assert_eq!(expected(format, right), None, "{format}: {right}");
            assert!(expected(format, wrong).is_some(), "{format}: {wrong}");
        }
        assert_eq!(expected("date-time", "x"), None);
    }
}
