//! Rules that the `Metadata` of a resource suppresses.
//!
//! Besides formwork's own form, those of three other checkers count, so that authors need not write everything twice.

use crate::value::Value;

/// Where the lists of suppressed rules are, in the `Metadata` of a resource.
const LISTS: [(&str, &str); 4] = [
    // Ours: `Metadata: {formwork: {suppress: [{id: AWS-S3-001, reason: …}]}}`.
    ("formwork", "suppress"),
    ("cfn_nag", "rules_to_suppress"),
    ("guard", "SuppressedRules"),
    ("checkov", "skip"),
];

/// Whether the `Metadata` of a resource (its body is `body`) suppresses a rule that goes by any of these names. An entry
/// is a name, or an object with the name as `id`.
pub(crate) fn is_suppressed(body: &Value, names: &[&str]) -> bool {
    let metadata = body.as_object().and_then(|body| body.get_exact("Metadata"));
    let Some(metadata) = metadata.and_then(Value::as_object) else { return false };
    let lists = LISTS.iter().filter_map(|(tool, list)| metadata.get_exact(tool)?.get(list)?.as_array());
    let mut entries = lists.flatten().filter_map(|entry| entry.as_str().or_else(|| entry.get("id")?.as_str()));
    entries.any(|entry| names.iter().any(|name| name.eq_ignore_ascii_case(entry)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::syntax::yaml;
    use crate::text::Sources;

    #[track_caller]
    fn check(metadata: &str, suppressed: bool) {
        let text: Arc<str> = format!("Metadata: {metadata}").into();
        let body = yaml::parse_template(Sources::new().add("x", Arc::clone(&text)), &text, 9).value.unwrap();
        assert_eq!(is_suppressed(&body, &["AWS-S3-001", "S3.Encryption"]), suppressed, "{metadata}");
    }

    #[test]
    fn a_rule_is_suppressed_in_the_form_of_any_tool() {
        check("{formwork: {suppress: [{id: aws-s3-001, reason: public by design}]}}", true);
        check("{formwork: {suppress: [S3.Encryption]}}", true);
        check("{cfn_nag: {rules_to_suppress: [{id: W1}, {id: AWS-S3-001, reason: x}]}}", true);
        check("{guard: {SuppressedRules: [AWS-S3-001]}}", true);
        check("{checkov: {skip: [{id: AWS-S3-001, comment: x}]}}", true);
    }

    #[test]
    fn other_metadata_suppresses_nothing() {
        check("{formwork: {suppress: [AWS-0002]}}", false);
        check("{formwork: {suppress: AWS-S3-001}}", false);
        check("{suppress: [AWS-S3-001]}", false);
        check("[AWS-S3-001]", false);
    }
}
