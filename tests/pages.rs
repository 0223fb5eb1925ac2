//! Pages in HTML, as a browser reads them. Without Chromium, these tests say so and do nothing.

use std::path::Path;
use std::process::Command;

use crate::changes::search_path;
use crate::harness::{Folder, is_blessing, parameters, template};

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
    let filters = [
        ("#severity=high&outcome=change", "1 of 1 resources"),
        ("#text=nowhere", "0 of 1 resources"),
        // What is not the name of a filter, and not one of its values, filters nothing.
        ("#length=1&fold=x&severity=none", "1 of 1 resources"),
    ];
    check(&folder, &page, "What a change deploys", "1 of 1 resources", &filters);
}

#[test]
fn a_report_is_a_page_that_needs_nothing_else() {
    let folder = Folder::new();
    sites(&folder, "main.json", false);
    let rules = "--rules-include=AZ-APPSERVICE-001";
    let page = folder.run(&["check", "main.json", rules, "--format", "html"]).stdout;
    // The hostile name is the other finding.
    let filters = [
        ("#rule=AZ-APPSERVICE-001&service=Microsoft.Web", "1 of 2 entries, 0 of 2 resources"),
        ("#service=Microsoft.Web&text=other", "0 of 2 entries, 1 of 2 resources"),
        ("#text=nowhere", "0 of 2 entries, 0 of 2 resources"),
    ];
    check(&folder, &page, "formwork: 2 findings", "2 of 2 entries, 2 of 2 resources", &filters);
}

/// A deployment of a module with copies, of which the second one accepts old versions of TLS, of a network with a subnet,
/// and of what a condition decides on.
fn deployment(tls: &str) -> String {
    let module = template(&format!(
        r#""resources": [{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01",
            "copy": {{"name": "logs", "count": 3}}, "name": "[format('logs{{0}}', copyIndex())]", "location": "westeurope",
            "kind": "StorageV2", "sku": {{"name": "Standard_LRS"}},
            "properties": {{"minimumTlsVersion": "[if(equals(copyIndex(), 1), '{tls}', 'TLS1_2')]"}}}}]"#
    ));
    template(&format!(
        r#""parameters": {{"open": {{"type": "bool"}}, "prefix": {{"type": "string", "defaultValue": "10.0.0.0/24"}}}},
    "resources": [
        {{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "data",
          "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {module}}}}},
        {{"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2023-04-01", "name": "net", "location": "westeurope",
          "properties": {{"addressSpace": {{"addressPrefixes": ["10.0.0.0/16"]}}}},
          "resources": [{{"type": "subnets", "apiVersion": "2023-04-01", "name": "one", "dependsOn": ["net"],
            "properties": {{"addressPrefix": "[parameters('prefix')]"}}}}]}},
        {{"condition": "[parameters('open')]", "type": "Microsoft.Network/publicIPAddresses", "apiVersion": "2023-04-01",
          "name": "door", "location": "westeurope"}}]"#
    ))
}

/// Compares a text with its golden file.
#[track_caller]
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pages").join(format!("{name}.txt"));
    if is_blessing() {
        std::fs::write(path, format!("{text}\n")).unwrap();
    } else {
        assert_eq!(format!("{text}\n"), std::fs::read_to_string(path).unwrap());
    }
}

/// What is visible of the trees of a page, each entry indented below the one that it is in, without places.
fn visible(dom: &str) -> Vec<String> {
    let body = dom.split("<script>").next().unwrap_or_default();
    let token = regex::Regex::new("<(/?)(ul|li|summary|div)([^>]*)>").unwrap();
    let tag = regex::Regex::new("<span class=\"place\">[^<]*</span>|<[^>]*>").unwrap();
    let (mut lines, mut lists, mut hidden): (Vec<String>, Vec<bool>, Vec<bool>) = (Vec::new(), Vec::new(), Vec::new());
    for found in token.captures_iter(body) {
        let (is_end, name, attributes) = (!found[1].is_empty(), &found[2], &found[3]);
        match (name, is_end) {
            ("ul", false) => lists.push(attributes.contains("tree")),
            ("ul", true) => drop(lists.pop()),
            ("li", false) => hidden.push(attributes.contains("hidden")),
            ("li", true) => drop(hidden.pop()),
            (_, false) if lists.last() == Some(&true) && !attributes.contains("body") && !hidden.contains(&true) => {
                let rest = &body[found.get(0).unwrap().end()..];
                let label = rest.split('\n').next().unwrap_or_default();
                let label = label.split("</summary>").next().unwrap_or_default();
                let text = tag.replace_all(label.split("</div>").next().unwrap_or_default(), "");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let depth = lists.iter().filter(|is_tree| **is_tree).count() - 1;
                lines.push(format!("{}{text}", "  ".repeat(depth)));
            }
            _ => {}
        }
    }
    lines
}

#[test]
fn the_resources_of_a_deployment_are_a_tree_with_their_findings() {
    let folder = Folder::new();
    folder.write("main.json", deployment("TLS1_0"));
    for name in ["a", "b"] {
        folder.write(&format!("main.parameters.{name}.json"), parameters(r#""prefix": {"value": "10.0.1.0/24"}"#));
    }
    let rules = ["--rules-include=AZ-STORAGE-002", "--rules-include=AZ-STORAGE-007", "--rules-include=AZ-VNET-002"];
    let page = folder.run(&[&["check", ".", "--format", "html"], &rules[..]].concat()).stdout;
    let Some(dom) = opened(&folder, &page, "") else { return };
    let trees = visible(&dom);
    let (half, rest) = trees.split_at(trees.len() / 2);
    assert_eq!(half, rest, "both parameter files give the same");
    golden("tree", &half.join("\n"));
    for (filter, snapshot) in [
        ("#severity=low", "tree_low"),
        ("#service=Microsoft.Network", "tree_network"),
        ("#rule=AZ-VNET-002", "tree_rule"),
        ("#file=main.json&text=logs2", "tree_text"),
    ] {
        let dom = opened(&folder, &page, filter).unwrap_or_default();
        let trees = visible(&dom);
        golden(snapshot, &trees[..trees.len() / 2].join("\n"));
    }
}

#[test]
fn the_resources_of_a_difference_are_a_tree() {
    let folder = Folder::new();
    folder.write("old/main.json", deployment("TLS1_2"));
    folder.write("new/main.json", deployment("TLS1_0").replace("10.0.0.0/24", "10.0.1.0/24").replace("door", "gate"));
    let page = folder.run(&["diff", "old", "new", "--format", "html"]).stdout;
    let Some(dom) = opened(&folder, &page, "") else { return };
    golden("tree_of_difference", &visible(&dom).join("\n"));
    let dom = opened(&folder, &page, "#service=Microsoft.Storage").unwrap_or_default();
    golden("tree_of_difference_storage", &visible(&dom).join("\n"));
}

#[test]
fn a_page_lists_a_bounded_number_of_resources_and_says_so() {
    let folder = Folder::new();
    let many = r#"{"type": "Microsoft.Web/serverfarms", "apiVersion": "2022-09-01", "name": "[format('p{0}', copyIndex())]",
        "copy": {"name": "x", "count": 800}, "location": "westeurope", "sku": {"name": "B1"}}"#;
    let all =
        (0..8).map(|at| many.replace("'p{0}'", &format!("'p{at}-{{0}}'")).replace("\"x\"", &format!("\"x{at}\"")));
    folder.write("main.json", template(&format!("\"resources\": [{}]", all.collect::<Vec<_>>().join(","))));
    for name in ["a", "b", "c", "d", "e"] {
        folder.write(&format!("main.parameters.{name}.json"), parameters(""));
    }
    folder.write("formwork.yaml", "limits: {steps: 5000000}\n");
    let page = folder.run(&["check", ".", "--no-builtin-rules", "--format", "html"]).stdout;
    assert_eq!(page.matches("data-item=\"resource\"").count(), 20_000);
    assert_eq!(page.matches("… and 1400 more resources").count(), 4);
    assert_eq!(page.matches("… and 6400 more resources").count(), 1);
}
