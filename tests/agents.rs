//! What the repository tells coding agents: `init --agents`, and the skill.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::changes::search_path;
use crate::harness::Folder;

const TEMPLATE: &str = "\
resource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'staaaa'
  location: 'westeurope'
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  properties: { minimumTlsVersion: 'TLS1_0' }
}
";

/// The commands in the blocks of a page.
fn commands(page: &str) -> Vec<Vec<&str>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("$ formwork "));
    lines.map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn each_command_of_the_skill_runs() {
    let skill = include_str!("../skills/formwork/SKILL.md");
    let commands = commands(skill);
    assert!(commands.len() >= 8 && skill.lines().count() <= 80, "{commands:?}");
    for command in commands {
        let folder = Folder::new();
        folder.write("main.bicep", TEMPLATE);
        for arguments in [
            &["init", "--quiet"][..],
            &["add", "--all"],
            &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=x"],
        ] {
            assert!(Command::new("git").args(arguments).current_dir(folder.path()).status().unwrap().success());
        }
        let path = search_path();
        let ended = folder.run_with(&command, &[("PATH", &path)], b"");
        // 1: there are findings. Anything else is a command that is wrong.
        assert!(ended.code <= 1 && !ended.stderr.contains("error:"), "{command:?}: {ended:?}");
    }
}

#[test]
fn a_section_is_written_once_and_renewed() {
    let folder = Folder::new();
    folder.write("AGENTS.md", "# Rules\n");
    let read = || fs::read_to_string(folder.path().join("AGENTS.md")).unwrap();
    let ended = folder.run(&["init", "--agents", "."]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("AGENTS.md: written") && ended.stdout.contains("\n.mcp.json:\n{"), "{ended:?}");
    let first = read();
    assert!(
        first.starts_with("# Rules\n\n<!-- formwork:begin -->\n") && first.ends_with("<!-- formwork:end -->\n"),
        "{first}"
    );
    assert!(folder.run(&["init", "--agents", "."]).stderr.contains("AGENTS.md: unchanged"));
    assert_eq!(read(), first);
    folder.write("AGENTS.md", first.replace("CLEAN", "OLD") + "\n# More\n");
    folder.run(&["init", "--agents", "."]);
    assert_eq!(read(), first + "\n# More\n");
    assert!(!folder.path().join("formwork.yaml").exists());
}

#[cfg(unix)]
#[test]
fn a_section_is_not_written_through_a_link() {
    let folder = Folder::new();
    folder.write("else/target.md", "x");
    std::os::unix::fs::symlink("else/target.md", folder.path().join("AGENTS.md")).unwrap();
    let ended = folder.run(&["init", "--agents", "."]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert_eq!(fs::read_to_string(folder.path().join("else/target.md")).unwrap(), "x");
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = Folder::new();
    let ended = folder.run(&["init", "--agents", "--dry-run", "."]);
    assert!(ended.code == 0 && ended.stdout.starts_with("<!-- formwork:begin -->\n"), "{ended:?}");
    assert!(!Path::new(folder.path()).join("AGENTS.md").exists());
}
