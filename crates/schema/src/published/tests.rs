//! Every block of the embedded data can be read, and says what it should.

use super::catalog::{DescribedType, azure, cloudformation};
use super::pack::{Node, Pack};

#[track_caller]
fn check_all(pack: &Pack, least_types: usize) {
    let mut types = 0;
    for (name, block) in pack.blocks() {
        assert!(block.is_whole(), "a chunk or a node of {name} cannot be read");
        let names: Vec<String> = block.types.iter().map(|kind| block.text(kind.name).to_lowercase()).collect();
        assert!(names.is_sorted(), "types of {name}");
        assert!(names.iter().all(|kind| kind.starts_with(name)), "types of {name}");
        for version in block.types.iter().flat_map(|kind| &kind.versions) {
            assert!(version.bodies.iter().all(|body| block.has(*body)), "{name}");
        }
        types += block.types.len();
    }
    assert_eq!(pack.blocks().count(), pack.names().count(), "every block can be unpacked");
    assert!(types >= least_types, "{types}");
}

#[test]
fn all_embedded_data_can_be_read() {
    check_all(azure().unwrap(), 6000);
    check_all(cloudformation().unwrap(), 1800);
}

#[test]
fn data_that_are_damaged_are_no_types() {
    assert!(Pack::open(b"").is_none());
    assert!(Pack::open(b"FWTYPES2").is_none());
    assert!(Pack::open(b"FWTYPES3\x01a").is_none());
}

#[test]
fn a_type_is_found_by_name_and_version() {
    let block = azure().unwrap().provider("microsoft.STORAGE").unwrap();
    let found = DescribedType::new(block, "microsoft.storage/STORAGEACCOUNTS").unwrap();
    assert_eq!(block.text(found.kind.name), "Microsoft.Storage/storageAccounts");
    let version = found.version("2023-01-01").unwrap();
    assert!(matches!(block.node(version.bodies[0]), Node::Object(_)));
    assert!(found.version("2023-13-01").is_none());
    assert!(azure().unwrap().provider("Contoso.Custom").is_none());
}
