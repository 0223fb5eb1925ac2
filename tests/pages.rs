//! Pages in HTML, as a browser reads them. Without Chromium, these tests say so and do nothing.

use std::process::Command;

use crate::changes::search_path;
use crate::harness::{Folder, template};

/// What a template tries to be on a page.
const HOSTILE: &str = "</code></summary></details><script>document.title = 'forged'</script><img src=x onerror=\"document.title = 'forged'\">";

/// The page after its scripts ran, as Chromium prints it; `None` where there is no Chromium.
#[expect(clippy::print_stderr, reason = "a test that is skipped has to say so")]
fn opened(folder: &Folder, page: &str, filter: &str) -> Option<String> {
    let path = folder.path().join("page.html");
    std::fs::write(&path, page).unwrap();
    let profile = folder.path().join("profile");
    let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"];
    let mut command = Command::new("chromium");
    command.env_clear().env("PATH", search_path()).env("HOME", folder.path());
    command.args(flags).arg(format!("--user-data-dir={}", profile.display()));
    let Ok(output) = command.arg(format!("file://{}{filter}", path.display())).output() else {
        eprintln!("skipped: there is no `chromium`, so the page is not opened in a browser");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// A template of two sites, one with a finding and a hostile name.
fn sites(folder: &Folder, name: &str, https: bool) {
    let site = |name: &str, https: bool| {
        let name = serde_json::to_string(name).unwrap();
        format!(
            r#"{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": {name}, "location": "westeurope", "kind": "{https}", "properties": {{"httpsOnly": {https}}}}}"#
        )
    };
    let all = [site(HOSTILE, https), site("other", true)].join(",");
    folder.write(name, template(&format!("\"resources\": [{all}]")));
}

#[track_caller]
fn check(folder: &Folder, page: &str, title: &str, all: &str, filters: &[(&str, &str)]) {
    assert!(!page.contains("<img") && page.matches("<script").count() == 1, "{page}");
    assert!(!page.contains("src=\"http") && !page.contains("<link"), "{page}");
    let Some(dom) = opened(folder, page, "") else { return };
    assert!(dom.contains(&format!("<output>{all}</output>")), "{dom}");
    assert!(dom.contains(&format!("<title>{title}")) && !dom.contains("<title>forged"), "{dom}");
    for (filter, shown) in filters {
        let dom = opened(folder, page, filter).unwrap_or_default();
        assert!(dom.contains(&format!("<output>{shown}</output>")), "{filter}: {dom}");
    }
}

#[test]
fn a_difference_is_a_page_that_needs_nothing_else() {
    let folder = Folder::new();
    sites(&folder, "old/main.json", true);
    sites(&folder, "new/main.json", false);
    let page = folder.run(&["diff", "old", "new", "--format", "html"]).stdout;
    let filters = [("#severity=high&outcome=change", "1 of 1 shown"), ("#text=nowhere", "0 of 1 shown")];
    check(&folder, &page, "What a change deploys", "1 of 1 shown", &filters);
}

#[test]
fn a_report_is_a_page_that_needs_nothing_else() {
    let folder = Folder::new();
    sites(&folder, "main.json", false);
    let rules = "--rules-include=AZ-APPSERVICE-001";
    let page = folder.run(&["check", "main.json", rules, "--format", "html"]).stdout;
    // The hostile name is the other finding.
    let filters =
        [("#rule=AZ-APPSERVICE-001&service=Microsoft.Web", "1 of 2 shown"), ("#text=nowhere", "0 of 2 shown")];
    check(&folder, &page, "formwork: 2 findings", "2 of 2 shown", &filters);
}
