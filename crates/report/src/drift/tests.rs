//! The schema of the document, and what texts about it show.

use serde_json::json;

use crate::difference::Severity;
use crate::drift::{ComparedResource, ComparedValues, DriftReport, DriftState, DriftSummary, section, text};
use crate::schema_file;

fn resource(outcome: DriftState, type_name: &str, name: &str) -> ComparedResource {
    ComparedResource {
        outcome,
        type_name: type_name.to_owned(),
        name: name.to_owned(),
        id: "/x".to_owned(),
        file: None,
        line: None,
        changes: Vec::new(),
        more_changes: 0,
        unseen: Vec::new(),
        uncompared: Vec::new(),
        unset: Vec::new(),
        reason: None,
        would_be_deleted: false,
    }
}

fn report() -> DriftReport {
    let values =
        |path: &str, template, live, severity| ComparedValues { path: path.to_owned(), template, live, severity };
    let site = ComparedResource {
        file: Some("main.bicep".to_owned()),
        line: Some(21),
        changes: vec![
            values("properties.siteConfig.alwaysOn", json!(true), json!(false), Severity::Medium),
            values("properties.publicNetworkAccess", json!("Disabled"), json!("Ena|bled</td>"), Severity::High),
            values("properties.l[name=a]", json!("present"), json!(null), Severity::Medium),
            values("properties.l[name=b]", json!(null), json!("present"), Severity::Medium),
            values("tags.new", json!(null), json!("x"), Severity::Low),
        ],
        unseen: vec!["properties.password".to_owned()],
        ..resource(DriftState::Drifted, "Microsoft.Web/sites", "shop")
    };
    let resources = vec![
        site,
        resource(DriftState::Missing, "Microsoft.Insights/components", "ai1"),
        ComparedResource {
            reason: Some("2 resources of the export may be this one".to_owned()),
            ..resource(DriftState::Uncertain, "AWS::S3::Bucket", "Logs")
        },
        ComparedResource {
            uncompared: vec!["properties.b".to_owned()],
            unset: vec!["properties.c".to_owned()],
            ..resource(DriftState::Same, "A.B/c", "d")
        },
        ComparedResource { would_be_deleted: true, ..resource(DriftState::Unmanaged, "A.B/c", "e\nf") },
    ];
    let summary =
        DriftSummary { drifted: 1, missing: 1, unmanaged: 1, uncertain: 1, same: 1, uncompared: 2, skipped: 1 };
    DriftReport::new(summary, resources)
}

#[test]
fn the_schema_is_that_of_the_structs() {
    let about = "The output of `formwork drift --format json`. Later versions may add members.";
    let schema = schema_file::schema_of::<DriftReport>("Drift of formwork", about, "formwork/drift/v1");
    schema_file::check_schema("drift.schema.json", &schema);
}

#[test]
fn a_text_has_the_differences() {
    let expected = "  ~ Microsoft.Web/sites shop (main.bicep:21)
      properties.siteConfig.alwaysOn: true in the template, false in Azure
      high: properties.publicNetworkAccess: \"Disabled\" in the template, \"Ena|bled</td>\" in Azure
      properties.l[name=a]: in the template, not in Azure
      properties.l[name=b]: not in the template, added in Azure
      tags.new: nothing in the template, \"x\" in Azure
  - Microsoft.Insights/components ai1: is not there
  ? AWS::S3::Bucket Logs: is not compared: 2 resources of the export may be this one
  + A.B/c e\\nf: in no template; the next deployment deletes it
1 resource drifted, 1 missing, 1 not compared, 1 in no template, 1 as declared; 2 values cannot be compared \
                    (`--all` lists them); 1 item of the export is not a resource
";
    assert_eq!(text(&report(), false, false), expected);
}

#[test]
fn a_text_has_everything_on_demand() {
    let all = text(&report(), false, true);
    for line in [
        "      properties.password: is not returned",
        "  = A.B/c d",
        "      properties.b: is known only after a deployment, or secret",
        "      properties.c: is not set by the template",
    ] {
        assert!(all.lines().any(|shown| shown == line), "{all}");
    }
}

#[test]
fn a_section_has_a_bound_and_texts_stay_in_their_cells() {
    let page = section(&report(), 60_000);
    assert!(page.contains("| <code>~</code> |") || page.contains("| <code>&#126;</code> |"), "{page}");
    assert!(page.contains("**high**: <code>properties.publicNetworkAccess</code>"), "{page}");
    assert!(!page.contains("Ena|bled") && !page.contains("</td>"), "{page}");
    assert!(section(&report(), 300).len() <= 300);
}
