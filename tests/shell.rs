//! Completions and man pages.

use crate::harness::Folder;

#[test]
fn there_are_completions_for_each_shell() {
    let folder = Folder::new();
    for (shell, mark) in [
        ("bash", "complete -F _formwork"),
        ("elvish", "edit:completion:arg-completer[formwork]"),
        ("fish", "complete -c formwork"),
        ("nushell", "export extern \"formwork check\""),
        ("powershell", "Register-ArgumentCompleter"),
        ("pwsh", "Register-ArgumentCompleter"),
        ("zsh", "#compdef formwork"),
    ] {
        let ended = folder.run(&["completions", shell]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{shell}");
        assert!(ended.stdout.contains(mark) && ended.stdout.contains("fail-on-scope"), "{shell}: {}", ended.stdout);
    }
    assert_eq!(folder.run(&["completions", "csh"]).code, 2);
}

#[test]
fn there_is_a_man_page_for_the_program_and_each_command() {
    let folder = Folder::new();
    let page = folder.run(&["man"]).stdout;
    assert!(page.contains(".TH formwork 1") && page.contains("formwork\\-check(1)"), "{page}");
    assert!(!page.contains("sourcemap"), "{page}");
    for (words, name, text) in
        [(&["check"][..], "formwork-check", "\\-\\-shard"), (&["rules", "list"], "formwork-rules-list", "\\-\\-format")]
    {
        let ended = folder.run(&[&["man"], words].concat());
        assert!(ended.stdout.contains(&format!(".TH {name} 1")) && ended.stdout.contains(text), "{ended:?}");
    }
    let ended = folder.run(&["man", "sourcemap"]);
    assert!(ended.code == 2 && ended.stderr.contains("there is no command `sourcemap` in `formwork`"), "{ended:?}");
}
