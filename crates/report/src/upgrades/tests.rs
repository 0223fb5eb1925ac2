//! The schema of the document, and what texts about it show.

use crate::schema_file;
use crate::upgrades::{BreakingDifference, UpgradeSummary, UpgradedVersion, Upgrades, VersionOutcome, section, text};

fn version(outcome: VersionOutcome, line: u32) -> UpgradedVersion {
    UpgradedVersion {
        type_name: "Microsoft.Cache/redis".to_owned(),
        name: Some("cache".to_owned()),
        count: 1,
        from: "2015-08-01".to_owned(),
        to: Some("2024-11-01".to_owned()),
        outcome,
        fits: None,
        breaking: Vec::new(),
        ignored: Vec::new(),
        unseen: Vec::new(),
        reason: None,
        file: "main.bicep".to_owned(),
        line,
        column: 5,
    }
}

fn document() -> Upgrades {
    let breaking = BreakingDifference {
        check: "schema/unknown-property".to_owned(),
        path: "properties.virtualNetwork".to_owned(),
        message: "has no `properties.virtual|Network`".to_owned(),
        file: "main.bicep".to_owned(),
        line: 9,
    };
    let stays = UpgradedVersion { breaking: vec![breaking], ..version(VersionOutcome::Stays, 3) };
    let path = |name: &str| vec![format!("properties.{name}")];
    let safe = UpgradedVersion {
        from: "2021-01-01-preview".to_owned(),
        unseen: path("a"),
        ignored: path("b"),
        ..version(VersionOutcome::Safe, 12)
    };
    let skipped = UpgradedVersion { reason: Some("it is computed".to_owned()), ..version(VersionOutcome::Skipped, 20) };
    let resources = vec![stays, safe, skipped, version(VersionOutcome::Current, 30)];
    Upgrades::new(UpgradeSummary { safe: 1, stays: 1, current: 1, skipped: 1, written: 0 }, resources)
}

#[test]
fn the_schema_is_that_of_the_structs() {
    let about = "The output of `formwork upgrade --format json`. Later versions may add members.";
    let schema = schema_file::schema_of::<Upgrades>("Upgrades of formwork", about, "formwork/upgrade/v1");
    schema_file::check_schema("upgrade.schema.json", &schema);
}

#[test]
fn a_text_has_what_moves_and_what_stays() {
    let expected = "\
main.bicep
     3  Microsoft.Cache/redis  2015-08-01  stays: 2024-11-01 has no `properties.virtual|Network` (main.bicep:9)
    12  Microsoft.Cache/redis  2021-01-01-preview → 2024-11-01  safe: as far as can be seen without the values of \
                    properties.a; read-only in it: properties.b; a preview that a stable version replaces
    20  Microsoft.Cache/redis  2015-08-01  skipped: it is computed
1 safe, 1 stays, 1 current, 1 skipped; `--write` changes the 1
";
    assert_eq!(text(&document(), false), expected);
}

#[test]
fn a_section_has_a_bound_and_texts_stay_in_their_cells() {
    let page = section(&document(), 60_000);
    assert!(page.contains("| <code>main.bicep:3</code> | <code>Microsoft.Cache/redis</code> | <code>2015-08-01</code> |  | stays: 2024-11-01"), "{page}");
    assert!(!page.contains("virtual|Network"), "{page}");
    assert!(section(&document(), 300).len() <= 300);
}
