//! Checks that a server shows after any edits the same as `formwork check` reports for the same texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use lsp_server::Message;
use serde_json::{Value, json};

use super::{Client, DEV, MAIN};
use crate::engine::{CheckOptions, Observer, Session};
use crate::report::{Report, failed_faults};

const MODULE: &str = "param secure bool\nresource st 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  \
                      name: 'st'\n  properties: { supportsHttpsTrafficOnly: secure }\n}\n";

const USER: &str = "param secure bool = false\nmodule m 'm.bicep' = {\n  name: 'm'\n  params: { secure: secure }\n}\n";

/// What is written into the texts.
const WRITTEN: [&str; 12] =
    ["", "", "x", "'", "${", "{", "}\n", "\n", "//", "true", "param p string\n", "// formwork:ignore AZ-STORAGE-005\n"];

/// The file, the line (from 0), and the code of something that is shown.
type Shown = (String, u64, String);

struct Silent;

impl Observer for Silent {}

/// What a check of a folder with these texts reports.
fn reported(texts: &BTreeMap<&str, String>) -> BTreeSet<Shown> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in texts {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut options = CheckOptions { threads: 1, paths: vec![".".into()], ..CheckOptions::new(folder.path().into()) };
    options.given.choices.bicep = Some("builtin");
    let finished = Session::open(&options, &Silent).and_then(|session| session.check(&Silent)).unwrap();
    let report = Report::from_run(finished.run);
    let faults = failed_faults(&report);
    let findings = faults.iter().map(|fault| (&fault.place, fault.rule.id.clone()));
    let problems = report.problems.iter().map(|problem| (&problem.place, problem.code.to_string()));
    let shown = findings.chain(problems).map(|(place, code)| {
        let line = u64::from(place.start.line.saturating_sub(1));
        (place.file.name().to_string(), line, code)
    });
    shown.collect()
}

/// Reads what is published until that is what is expected.
fn wait_for(client: &mut Client, shown: &mut BTreeMap<String, BTreeSet<Shown>>, expected: &BTreeSet<Shown>) {
    let mut news: Vec<Value> = std::mem::take(&mut client.published);
    loop {
        for published in news.drain(..) {
            let uri = published["uri"].as_str().unwrap().to_owned();
            let name = uri.rsplit('/').next().unwrap().to_owned();
            let drawn = |one: &Value| {
                let line = one["range"]["start"]["line"].as_u64().unwrap();
                (name.clone(), line, one["code"].as_str().unwrap().to_owned())
            };
            shown.insert(uri, published["diagnostics"].as_array().unwrap().iter().map(drawn).collect());
        }
        if shown.values().flatten().eq(expected) {
            return;
        }
        match client.connection.receiver.recv_timeout(super::PATIENCE) {
            Ok(Message::Notification(note)) if note.method == "textDocument/publishDiagnostics" => {
                news.push(note.params);
            }
            Ok(_) => {}
            Err(error) => panic!("{error}: expected {expected:?}, found {shown:?}"),
        }
    }
}

#[test]
fn what_is_shown_is_what_a_check_reports() {
    let originals = BTreeMap::from([("m.bicep", MODULE), ("main.bicep", MAIN), ("user.bicep", USER)]);
    let mut texts: BTreeMap<&str, String> = originals.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    texts.insert("main.dev.bicepparam", DEV.to_owned());
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let mut client = Client::start(&files, Duration::ZERO, json!({}));
    for (name, text) in &texts {
        client.did_open(name, text);
    }
    let mut shown = BTreeMap::new();
    wait_for(&mut client, &mut shown, &reported(&texts));
    let mut random = 7_usize;
    let mut below = |limit: usize| {
        random = (random * 1_103_515_245 + 12_345) % (1 << 31);
        (random >> 8) % limit
    };
    for version in 2..16 {
        let name = *originals.keys().nth(below(originals.len())).unwrap();
        // What is broken is mended now and then.
        let text = if version % 3 == 0 {
            originals.get(name).map(|text| (*text).to_owned()).unwrap()
        } else {
            let text = &texts[name];
            let start = below(text.len());
            let end = (start + below(8)).min(text.len());
            [&text[..start], WRITTEN.get(below(WRITTEN.len())).unwrap(), &text[end..]].concat()
        };
        client.change(name, version, json!([{"text": text}]));
        texts.insert(name, text);
        wait_for(&mut client, &mut shown, &reported(&texts));
    }
    assert!(client.stop());
}
