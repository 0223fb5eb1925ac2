//! Tests the answers to requests.

use std::fs;
use std::time::Duration;

use lsp_server::Message;
use serde_json::{Value, json};

use super::{Client, DEV, HTTPS, MAIN, PROD, has};

#[test]
fn a_parameter_is_used_in_its_template_and_set_in_parameter_files_and_by_others() {
    let outer = "module m 'main.bicep' = {\n  name: 'm'\n  params: {\n    secure: true\n  }\n}\n";
    let files = [("main.bicep", MAIN), ("main.dev.bicepparam", DEV), ("outer.bicep", outer)];
    let mut client = Client::start(&files, Duration::ZERO, json!({}));
    client.did_open("main.bicep", MAIN);
    client.diagnostics("main.bicep", 1);
    let ask = |client: &mut Client, line: u32, character: u32| {
        let document = json!({"uri": client.uri("main.bicep")});
        let position = json!({"line": line, "character": character});
        let context = json!({"includeDeclaration": true});
        let asked = json!({"textDocument": document, "position": position, "context": context});
        client.ask("textDocument/references", asked).unwrap()
    };
    let expected = ["main.bicep:0", "main.bicep:6", "main.dev.bicepparam:1", "outer.bicep:3"];
    for (line, character) in [(0, 8), (6, 28)] {
        let found = ask(&mut client, line, character);
        assert_eq!(places(&found), expected);
    }
    assert_eq!(ask(&mut client, 5, 17), json!([]));
    // The file that names it is a parameter file; the other one deploys it.
    let asked = json!({"command": "formwork.showReferences", "arguments": [client.uri("main.bicep")]});
    let found = client.ask("workspace/executeCommand", asked).unwrap();
    assert_eq!(places(&found), ["main.dev.bicepparam:0", "outer.bicep:0"]);
    let named = client.ask("workspace/symbol", json!({"query": "apdev"})).unwrap();
    assert_eq!((&named[0]["name"], &named[0]["location"]["range"]["start"]["line"]), (&json!("app-dev"), &json!(3)));
    assert!(client.stop());
}

#[test]
fn a_module_says_who_uses_it_and_a_parameter_file_what_it_leads_to() {
    let module = "resource st 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'st'\n}\n";
    let [one, two] = ["a", "b"].map(|name| format!("module m 'm.bicep' = {{\n  name: '{name}'\n}}\n"));
    let files = [("m.bicep", module), ("one.bicep", &one), ("two.bicep", &two), ("main.bicep", MAIN)];
    let mut client = Client::start(&files, Duration::ZERO, json!({}));
    let titles = |client: &mut Client, name: &str| -> Vec<String> {
        let lenses = client.ask_in("textDocument/codeLens", name, 0, 0);
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].as_str().unwrap().to_owned()).collect()
    };
    client.did_open("m.bicep", module);
    client.diagnostics("m.bicep", 1);
    assert_eq!(titles(&mut client, "m.bicep"), ["1 resource", "used by 2 templates"]);
    client.did_open("main.dev.bicepparam", DEV);
    client.diagnostics("main.dev.bicepparam", 1);
    let title = titles(&mut client, "main.dev.bicepparam").concat();
    assert!(title.starts_with("main.bicep: 1 resource, ") && title.ends_with(" findings"), "{title}");
    assert!(client.stop());
}

/// What another extension shows, is not shown twice.
#[test]
fn declarations_are_left_to_the_extension_of_the_language() {
    let options = json!({"beside": ["bicep"]});
    let mut client = Client::start_with(&[("main.bicep", MAIN)], Duration::ZERO, json!({}), options);
    client.did_open("main.bicep", MAIN);
    client.diagnostics("main.bicep", 1);
    assert_eq!(client.ask_in("textDocument/documentSymbol", "main.bicep", 0, 0), json!([]));
    assert_eq!(client.ask_in("textDocument/definition", "main.bicep", 6, 28), Value::Null);
    assert_ne!(client.ask_in("textDocument/hover", "main.bicep", 6, 28), Value::Null);
    assert!(client.stop());
}

#[test]
fn an_outline_has_the_names_of_the_first_environment() {
    let template = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {"env": {"type": "string", "defaultValue": "dev"}},
  "resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "[concat('st', parameters('env'))]"}]
}"#;
    let mut client = Client::start(&[], Duration::ZERO, json!({}));
    client.did_open("main.json", template);
    client.diagnostics("main.json", 1);
    let symbols = client.ask_in("textDocument/documentSymbol", "main.json", 0, 0);
    let drawn = |at: usize| (symbols[at]["name"].as_str().unwrap(), symbols[at]["detail"].as_str().unwrap());
    assert_eq!([drawn(0), drawn(1)], [("env", "string"), ("stdev", "Microsoft.Storage/storageAccounts")]);
    let place = client.ask_in("textDocument/definition", "main.json", 4, 127);
    assert_eq!(place["range"]["start"]["line"], 3);
    assert!(client.stop());
}

/// A client refuses an outline with a name that is empty, or with a name that is not in its range.
#[test]
fn an_outline_has_names_in_their_ranges() {
    let template = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {"": {"type": "int"}, "none": {"type": "string", "defaultValue": ""}},
  "resources": [
    {
      "type": "Microsoft.Network/routeTables",
      "apiVersion": "2023-01-01"
    },
    {"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2023-01-01", "name": "[parameters('none')]"},
    {"type": "Microsoft.Network/publicIPAddresses", "apiVersion": "2023-01-01", "name": ""}
  ]
}"#;
    let mut client = Client::start(&[], Duration::ZERO, json!({}));
    client.did_open("main.json", template);
    client.diagnostics("main.json", 1);
    let symbols = client.ask_in("textDocument/documentSymbol", "main.json", 0, 0);
    let names: Vec<&str> = symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    let [tables, addresses] = ["Microsoft.Network/routeTables", "Microsoft.Network/publicIPAddresses"];
    assert_eq!(names, ["none", tables, "[parameters('none')]", addresses]);
    let at = |place: &Value| (place["line"].as_u64().unwrap(), place["character"].as_u64().unwrap());
    for symbol in symbols.as_array().unwrap() {
        let [outer, inner] = ["range", "selectionRange"].map(|name| &symbol[name]);
        assert!(at(&outer["start"]) <= at(&inner["start"]) && at(&inner["end"]) <= at(&outer["end"]), "{symbol}");
    }
    let found = client.ask("workspace/symbol", json!({"query": ""})).unwrap();
    assert!(found.as_array().unwrap().iter().all(|one| one["name"] != ""), "{found}");
    assert!(client.stop());
}

#[test]
fn resources_are_found_where_they_are_while_the_text_is_broken() {
    let mut client = Client::open();
    let start = json!({"line": 0, "character": 0});
    let range = json!({"start": start, "end": start});
    let edits = json!([{"range": range, "text": "\n\nresource x '\n"}]);
    client.change("main.bicep", 2, edits);
    client.diagnostics("main.bicep", 2);
    let lines = |client: &mut Client| -> Vec<Value> {
        let found = client.ask("workspace/symbol", json!({"query": "app"})).unwrap();
        found.as_array().unwrap().iter().map(|one| one["location"]["range"]["start"]["line"].clone()).collect()
    };
    assert_eq!(lines(&mut client), [6]);
    // An edit of its own text keeps it.
    let place = json!({"line": 7, "character": 3});
    client.change("main.bicep", 3, json!([{"range": {"start": place, "end": place}, "text": "x"}]));
    assert_eq!(lines(&mut client), [6]);
    assert!(client.stop());
}

#[test]
fn requests_are_answered_from_the_latest_result() {
    let mut client = Client::open();
    let hover = client.ask_in("textDocument/hover", "main.bicep", 6, 28);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("| dev | `false` | main.dev.bicepparam:2 |") && text.contains("| prod | `true` |"), "{text}");
    let lenses = client.ask_in("textDocument/codeLens", "main.bicep", 0, 0);
    let titles: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["deploys 1 resource (dev)", "1 (prod)"]);
    let hints = client.ask_in("textDocument/inlayHint", "main.bicep", 0, 0);
    assert_eq!((&hints[0]["label"], &hints[0]["position"]["line"]), (&json!("app-dev"), &json!(4)));
    let place = client.ask_in("textDocument/definition", "main.bicep", 6, 28);
    assert_eq!(place["range"]["start"], json!({"line": 0, "character": 6}));
    let symbols = client.ask_in("textDocument/documentSymbol", "main.bicep", 0, 0);
    assert_eq!(symbols.as_array().unwrap().len(), 3);
    let expansion = client.ask(
        "workspace/executeCommand",
        json!({"command": "formwork.expansion", "arguments": [client.uri("main.bicep"), "main.prod.bicepparam"]}),
    );
    assert!(expansion.unwrap().as_str().unwrap().contains("\"app-prod\""));
    assert!(client.stop());
}

#[test]
fn actions_fix_suppress_and_turn_off() {
    let mut client = Client::open();
    fs::write(client.folder.path().join("formwork.yaml"), "").unwrap();
    let line = |line: u32| json!({"line": line, "character": 30});
    let parameters = json!({
        "textDocument": {"uri": client.uri("main.bicep")},
        "range": {"start": line(6), "end": line(6)},
        "context": {"diagnostics": []},
    });
    let actions = client.ask("textDocument/codeAction", parameters).unwrap();
    let suppress =
        actions.as_array().unwrap().iter().find(|action| action["title"] == "Suppress AZ-APPSERVICE-001 with a reason");
    let edit = &suppress.unwrap()["edit"]["changes"][client.uri("main.bicep")][0];
    assert_eq!(edit["newText"], "  // formwork:ignore AZ-APPSERVICE-001 -- \n");
    assert_eq!(edit["range"]["start"], json!({"line": 6, "character": 0}));
    assert!(client.stop());
}

/// Two environments of one name: a module and the file that deploys it each have a parameter `env`.
#[test]
fn a_module_has_other_values_than_the_file_that_deploys_it() {
    let main =
        "param env string = 'outer'\nmodule m 'm.bicep' = {\n  name: 'm-${env}'\n  params: { env: 'inner' }\n}\n";
    let module = "param env string\nvar greeting = 'hello ${env}'\noutput o string = greeting\n";
    let mut client = Client::start(&[], Duration::ZERO, json!({}));
    client.did_open("main.bicep", main);
    client.did_open("m.bicep", module);
    client.diagnostics("m.bicep", 1);
    // A check of both files, whatever was checked before.
    client.change("main.bicep", 2, json!([{"text": main}]));
    client.diagnostics("main.bicep", 2);
    let mut rows = |name: &str, line: u32, character: u32| -> Vec<String> {
        let hover = client.ask_in("textDocument/hover", name, line, character);
        let text = hover["contents"]["value"].as_str().unwrap_or_default().to_owned();
        text.lines().filter(|line| line.starts_with("| ")).skip(1).map(ToOwned::to_owned).collect()
    };
    assert_eq!(rows("main.bicep", 0, 7), ["| defaults | `\"outer\"` | main.bicep:1 |"]);
    assert_eq!(rows("m.bicep", 0, 7), ["| via main.bicep (defaults) | `\"inner\"` | main.bicep:4 |"]);
    assert_eq!(rows("m.bicep", 1, 6), ["| via main.bicep (defaults) | `\"hello inner\"` | m.bicep:2 |"]);
    assert!(client.stop());
}

#[test]
fn an_expansion_is_in_the_order_of_the_source() {
    let main = "module m 'm.bicep' = { name: 'm' }\nresource b 'Microsoft.Network/virtualNetworks@2024-05-01' = { name: 'b' }\n\
                resource a 'Microsoft.Network/virtualNetworks@2024-05-01' = { name: 'a', dependsOn: [b] }\n";
    let module = "\n\nresource c 'Microsoft.Network/virtualNetworks@2024-05-01' = { name: 'c' }\n";
    let mut client = Client::start(&[("m.bicep", module)], Duration::ZERO, json!({}));
    client.did_open("main.bicep", main);
    client.diagnostics("main.bicep", 1);
    let asked = json!({"command": "formwork.expansion", "arguments": [client.uri("main.bicep")]});
    let text = client.ask("workspace/executeCommand", asked).unwrap();
    let text = text.as_str().unwrap();
    let comments: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("// ")).collect();
    assert_eq!(
        comments,
        ["What main.bicep deploys: 4 resources", "m.bicep:3", "main.bicep:1", "main.bicep:2", "main.bicep:3"]
    );
    assert!(client.stop());
}

#[test]
fn a_finding_is_accepted_in_the_baseline_of_the_settings() {
    let baseline = "{\n  \"schema\": \"formwork/baseline/v1\",\n  \"findings\": []\n}\n";
    let settings = "baseline: b.json\n";
    let files = [("infra/main.bicep", MAIN), ("b.json", baseline), ("a.json", baseline), ("formwork.yaml", settings)];
    let mut client = Client::start(&files, Duration::ZERO, json!({}));
    // One of which the settings say nothing.
    client.did_open("a.json", baseline);
    client.diagnostics("a.json", 1);
    client.did_open("infra/main.bicep", MAIN);
    assert!(has(&client.diagnostics("infra/main.bicep", 1), HTTPS));
    let place = json!({"line": 6, "character": 30});
    let document = json!({"uri": client.uri("infra/main.bicep")});
    let range = json!({"start": place, "end": place});
    let asked = json!({"textDocument": document, "range": range, "context": {"diagnostics": []}});
    let actions = client.ask("textDocument/codeAction", asked).unwrap();
    let accept = actions.as_array().unwrap().iter().find(|one| one["title"] == "Accept AZ-APPSERVICE-001 in b.json");
    let edit = &accept.unwrap()["edit"]["changes"][client.uri("b.json")][0];
    let [start, end] =
        ["start", "end"].map(|end| (edit["range"][end]["line"].clone(), edit["range"][end]["character"].clone()));
    assert_eq!((start, end), ((json!(2), json!(15)), (json!(2), json!(15))));
    let accepted = baseline.replace("[]", &format!("[{}]", edit["newText"].as_str().unwrap()));
    assert!(accepted.contains("\"template\": \"infra/main.bicep\""), "{accepted}");
    client.did_open("b.json", &accepted);
    assert!(!has(&client.found("infra/main.bicep"), HTTPS));
    assert!(client.stop());
}

/// The lines of the places, by file.
fn places(found: &Value) -> Vec<String> {
    let name = |place: &Value| place["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let place = |place: &Value| format!("{}:{}", name(place), place["range"]["start"]["line"]);
    let mut places: Vec<String> = found.as_array().unwrap().iter().map(place).collect();
    places.sort();
    places
}

#[test]
fn an_expansion_is_asked_for_again_after_a_check() {
    let mut client = Client::start(&[], Duration::ZERO, json!({"workspace": {"textDocumentContent": {}}}));
    client.did_open("main.bicep", MAIN);
    client.diagnostics("main.bicep", 1);
    let lenses = client.ask_in("textDocument/codeLens", "main.bicep", 0, 0);
    let uri = &lenses[0]["command"]["arguments"][0];
    let text = |client: &mut Client| {
        let content = client.ask("workspace/textDocumentContent", json!({"uri": uri})).unwrap();
        content["text"].as_str().unwrap().to_owned()
    };
    assert!(text(&mut client).contains("\"app-x\""));
    client.change("main.bicep", 2, json!([{"text": MAIN.replace("'x'", "'y'")}]));
    let refresh = loop {
        if let Message::Request(request) = client.receive()
            && request.method == "workspace/textDocumentContent/refresh"
        {
            break request;
        }
    };
    assert_eq!(refresh.params["uri"], *uri);
    assert!(text(&mut client).contains("\"app-y\""));
    assert!(client.stop());
}

#[test]
fn the_page_of_a_rule_is_opened_for_a_client_that_does_not_link_to_it() {
    let mut client = Client::start(&[], Duration::ZERO, json!({"window": {"showDocument": {"support": true}}}));
    client.did_open("main.bicep", MAIN);
    client.diagnostics("main.bicep", 1);
    let place = json!({"line": 6, "character": 30});
    let (document, range) = (json!({"uri": client.uri("main.bicep")}), json!({"start": place, "end": place}));
    let asked = json!({"textDocument": document, "range": range, "context": {"diagnostics": []}});
    let actions = client.ask("textDocument/codeAction", asked).unwrap();
    let open = actions.as_array().unwrap().iter().find(|one| one["title"] == "Open the page of AZ-APPSERVICE-001");
    let command = &open.unwrap()["command"];
    let run = |page: &Value| json!({"command": command["command"], "arguments": [page]});
    assert_eq!(client.ask("workspace/executeCommand", run(&command["arguments"][0])), Ok(Value::Null));
    assert_eq!(client.ask("workspace/executeCommand", run(&json!("file:///etc/passwd"))), Err(-32602));
    assert!(client.stop());
}

/// What a parameter file in JSON can set is what its template declares.
#[test]
fn parameters_are_completed_in_their_file() {
    let main = "@allowed(['dev', 'prod'])\nparam env string\nparam size int = 1\n";
    let set = "{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#\",\n\
               \"contentVersion\": \"1.0.0.0\", \"parameters\": {\"env\": {\"value\": \"dev\"}}}\n";
    let mut client = Client::start(&[("main.bicep", main)], Duration::ZERO, json!({}));
    client.did_open("main.parameters.json", set);
    client.diagnostics("main.parameters.json", 1);
    let mut labels = |character: usize| -> Vec<String> {
        let character = u32::try_from(character).unwrap();
        let items = client.ask_in("textDocument/completion", "main.parameters.json", 1, character);
        items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    let line = set.lines().nth(1).unwrap();
    assert_eq!(labels(line.find("env").unwrap()), ["env", "size"]);
    assert_eq!(labels(line.find("dev").unwrap()), ["dev", "prod"]);
    assert!(client.stop());
}

#[test]
fn parameters_are_set_and_corrected_in_their_files() {
    let main = "param env string\n@allowed(['a', 'b'])\nparam size string\noutput o string = '${env}${size}'\n";
    let set = "{\"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#\",\n\
               \"contentVersion\": \"1.0.0.0\", \"parameters\": {\"env\": {\"value\": \"x\"}, \"siz\": {\"value\": \"a\"}}}\n";
    let mut client = Client::start(&[("main.bicep", main)], Duration::ZERO, json!({}));
    client.did_open("main.parameters.json", set);
    client.did_open("main.bicep", main);
    client.diagnostics("main.bicep", 1);
    let mut edits = |name: &str, line: u32, character: usize| -> Vec<String> {
        let place = json!({"line": line, "character": character});
        let (document, range) = (json!({"uri": client.uri(name)}), json!({"start": place, "end": place}));
        let asked = json!({"textDocument": document, "range": range, "context": {"diagnostics": []}});
        let actions = client.ask("textDocument/codeAction", asked).unwrap();
        let edit = |action: &Value| {
            let edit = &action["edit"]["changes"][client.uri("main.parameters.json")][0];
            let at = |end: &str| edit["range"][end]["character"].as_u64().unwrap_or_default();
            let title = action["title"].as_str().unwrap();
            format!("{title}: {}..{} {}", at("start"), at("end"), edit["newText"].as_str().unwrap_or_default())
        };
        actions.as_array().unwrap().iter().map(edit).collect()
    };
    let line = set.lines().nth(1).unwrap();
    let (key, end) = (line.find("\"siz\"").unwrap(), line.find("}}").unwrap() + 1);
    let expected =
        format!("Set `size` in main.parameters.json (check the result): {end}..{end} , \"size\": {{\"value\": \"a\"}}");
    assert_eq!(edits("main.bicep", 2, 7), [expected]);
    let before = line.find(", \"siz\"").unwrap();
    let found = edits("main.parameters.json", 1, key + 1);
    let renamed = format!("Rename `siz` to `size` (check the result): {key}..{} \"size\"", key + 5);
    let removed = format!("Remove `siz` (check the result): {before}..{end} ");
    assert_eq!(found[..2], [renamed, removed]);
    assert!(client.stop());
}

#[test]
fn values_are_those_of_the_environment_that_is_chosen() {
    let files = [("main.bicep", MAIN), ("main.dev.bicepparam", DEV), ("main.prod.bicepparam", PROD)];
    let mut client = Client::start_with(&files, Duration::ZERO, json!({}), json!({"environment": "prod"}));
    client.did_open("main.bicep", MAIN);
    client.diagnostics("main.bicep", 1);
    let shown = |client: &mut Client| {
        let lenses = client.ask_in("textDocument/codeLens", "main.bicep", 0, 0);
        let hints = client.ask_in("textDocument/inlayHint", "main.bicep", 0, 0);
        let found = client.ask("workspace/symbol", json!({"query": "app"})).unwrap();
        let asked = json!({"command": "formwork.expansion", "arguments": [client.uri("main.bicep")]});
        let expansion = client.ask("workspace/executeCommand", asked).unwrap();
        let is_expanded = expansion.as_str().unwrap().contains(hints[0]["label"].as_str().unwrap());
        let [lens, hint, name] = [&lenses[0]["command"]["title"], &hints[0]["label"], &found[0]["name"]]
            .map(|value| value.as_str().unwrap().to_owned());
        (lens, hint, name, is_expanded)
    };
    let expected = |name: &str| {
        let app = format!("app-{name}");
        (format!("deploys 1 resource ({name})"), app.clone(), app, true)
    };
    assert_eq!(shown(&mut client), expected("prod"));
    let names = client.ask("workspace/executeCommand", json!({"command": "formwork.environments"}));
    assert_eq!(names, Ok(json!(["dev", "prod"])));
    // Where there is none of the name, the first one is shown.
    let settings = json!({"formwork": {"environment": "test"}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
    client.change("main.bicep", 2, json!([{"text": MAIN}]));
    client.diagnostics("main.bicep", 2);
    assert_eq!(shown(&mut client), expected("dev"));
    assert!(client.stop());
}

/// The text of a file after the edit of an action.
fn edited(client: &Client, name: &str, text: &str, action: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = Vec::new();
    for edit in action["edit"]["changes"][client.uri(name)].as_array().unwrap() {
        let offset = |end: &str| {
            let place = &edit["range"][end];
            let [line, character] = ["line", "character"].map(|part| usize::try_from(place[part].as_u64().unwrap()));
            text.split_inclusive('\n').take(line.unwrap()).map(str::len).sum::<usize>() + character.unwrap()
        };
        edits.push((offset("start"), offset("end"), edit["newText"].as_str().unwrap()));
    }
    edits.sort_unstable();
    let mut edited = text.to_owned();
    edits.into_iter().rev().for_each(|(start, end, new)| edited.replace_range(start..end, new));
    edited
}

#[test]
fn fixes_are_edits_after_which_the_findings_are_gone() {
    let account = "resource st 'Microsoft.Storage/storageAccounts@2023-05-01' = {\n  name: 'st'\n  location: 'x'\n  \
                   kind: 'StorageV2'\n  sku: { name: 'Standard_LRS' }\n  properties: {\n    \
                   supportsHttpsTrafficOnly: false\n    minimumTlsVersion: 'TLS1_0'\n  }\n}\n";
    let mut client = Client::start(&[], Duration::ZERO, json!({}));
    client.did_open("main.bicep", account);
    let before = client.diagnostics("main.bicep", 1);
    let mut ask = |line: u32, only: Value| {
        let place = json!({"line": line, "character": 8});
        let (document, range) = (json!({"uri": client.uri("main.bicep")}), json!({"start": place, "end": place}));
        let asked = json!({"textDocument": document, "range": range, "context": {"diagnostics": [], "only": only}});
        client.ask("textDocument/codeAction", asked).unwrap()
    };
    let (fixes, all) = (ask(6, json!(["quickfix"])), ask(0, json!(["source"])));
    let fix = fixes.as_array().unwrap().iter().find(|action| action["isPreferred"] == true).unwrap();
    let fixed = edited(&client, "main.bicep", account, fix);
    assert!(fixed.contains("supportsHttpsTrafficOnly: true") && fixed.contains("TLS1_0"), "{fixed}");
    let all = all.as_array().unwrap();
    assert_eq!((all.len(), &all[0]["kind"]), (1, &json!("source.fixAll.formwork")));
    let fixed = edited(&client, "main.bicep", account, &all[0]);
    client.change("main.bicep", 2, json!([{"text": fixed}]));
    let after = client.diagnostics("main.bicep", 2);
    assert!(after.len() + 2 <= before.len(), "{before:?} {after:?}");
    assert!(client.stop());
}

#[test]
fn files_that_are_named_are_links() {
    let main = "module m 'm.bicep' = { name: 'm' }\nvar t = loadTextContent('t.json')\nvar none = 'none.json'\n";
    let files = [("m.bicep", "output o int = 1\n"), ("t.json", "{}")];
    let mut client = Client::start(&files, Duration::ZERO, json!({}));
    client.did_open("main.bicep", main);
    client.diagnostics("main.bicep", 1);
    let links = client.ask_in("textDocument/documentLink", "main.bicep", 0, 0);
    let drawn = |link: &Value| {
        let start = &link["range"]["start"];
        (
            link["target"].as_str().unwrap().to_owned(),
            start["line"].as_u64().unwrap(),
            start["character"].as_u64().unwrap(),
        )
    };
    let found: Vec<_> = links.as_array().unwrap().iter().map(drawn).collect();
    assert_eq!(found, [(client.uri("m.bicep"), 0, 10), (client.uri("t.json"), 1, 25)]);
    assert!(client.stop());
}
