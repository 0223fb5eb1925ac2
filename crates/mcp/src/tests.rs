//! Conversations with a server whose tools are a stand-in.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::bounded;
use formwork_lsp::{Frame, read_line};
use serde_json::{Value, json};

use crate::call::{ToolAnswer, ToolCall, Tools};
use crate::server::Settings;
use crate::tool::Tool;
use crate::transport::serve;

/// Answers with the name of the tool. `type` waits until it is cancelled.
struct StandIn;

impl Tools for StandIn {
    fn call(&mut self, call: &ToolCall) -> ToolAnswer {
        assert!(call.tool != Tool::Expand, "a defect");
        while call.tool == Tool::Type && !call.cancellation.is_cancelled() {
            thread::sleep(Duration::from_millis(1));
        }
        let late = if call.is_late() { " late" } else { "" };
        ToolAnswer::text(format!("{}{late}", call.tool.as_str()))
    }
}

/// Returns the answers to lines, sorted by ID.
fn answers(lines: &[String]) -> Vec<Value> {
    let (arrived, messages) = bounded(4);
    let text = lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect::<Vec<u8>>();
    let reader = thread::Builder::new().spawn(move || {
        let mut input = text.as_slice();
        while let Ok(frame) = read_line(&mut input, 10_000) {
            if matches!(frame, Frame::End) || arrived.send(frame).is_err() {
                break;
            }
        }
    });
    drop(reader.unwrap());
    let sent = Arc::new(Mutex::new(Vec::new()));
    let settings = Settings { version: "0.0.0", max_time: Some(Duration::from_millis(100)) };
    let all = Arc::clone(&sent);
    let mut send = move |message: &Value| {
        all.lock().unwrap().push(message.clone());
        Ok(())
    };
    serve(&messages, &mut send, Box::new(StandIn), settings).unwrap();
    let mut sent = sent.lock().unwrap().clone();
    sent.sort_by_key(|message| message["id"].as_i64());
    sent
}

fn request(id: i64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn call(id: i64, tool: &str, arguments: &Value) -> String {
    request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

#[test]
fn a_client_with_a_handshake_gets_its_revision() {
    let client = json!({"name": "mcp", "version": "0.1.0"});
    for (asked, expected) in [("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")]
    {
        let parameters = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": client});
        let lines = [
            request(1, "initialize", &parameters),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string(),
            call(3, "check", &json!({"paths": ["."]})),
            json!({"jsonrpc": "2.0", "id": 4, "method": "ping"}).to_string(),
        ];
        let [first, list, checked, ping] = answers(&lines).try_into().unwrap();
        assert_eq!(first["result"]["protocolVersion"], expected);
        assert_eq!(first["result"]["capabilities"], json!({"tools": {}}));
        assert_eq!(list["result"]["tools"].as_array().unwrap().len(), Tool::ALL.len());
        assert_eq!(checked["result"], json!({"content": [{"type": "text", "text": "check"}]}));
        assert_eq!(ping["result"], json!({}));
    }
}

#[test]
fn a_client_without_a_handshake_names_its_revision_in_each_request() {
    let with = |version: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version}, "name": "rules", "arguments": {"id": "x"}});
    let modern = with("2026-07-28");
    let lines = [
        request(1, "server/discover", &modern),
        request(2, "tools/list", &modern),
        request(3, "tools/call", &modern),
        request(4, "tools/list", &with("2099-01-01")),
    ];
    let [discovered, list, called, refused] = answers(&lines).try_into().unwrap();
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
    assert_eq!((versions.len(), versions.last()), (5, Some(&json!("2026-07-28"))));
    assert_eq!(list["result"]["resultType"], "complete");
    assert!(list["result"]["ttlMs"].is_u64() && list["result"]["cacheScope"] == "public");
    assert_eq!(called["result"], json!({"content": [{"type": "text", "text": "rules"}], "resultType": "complete"}));
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"]["requested"], "2099-01-01");
}

#[test]
fn the_list_of_tools_is_short() {
    let list: Vec<Value> = Tool::ALL.into_iter().map(Tool::entry).collect();
    let [first] = answers(&[request(1, "initialize", &json!({}))]).try_into().unwrap();
    let instructions = first["result"]["instructions"].as_str().unwrap();
    let length = json!(list).to_string().len();
    assert!(instructions.len() <= 600 && length + instructions.len() <= 6_144, "{length} + {}", instructions.len());
    let is_readable = |tool: &Value| {
        tool["annotations"] == json!({"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false})
    };
    assert!(list.iter().all(is_readable));
}

#[test]
fn what_is_not_a_message_is_answered_and_the_next_is_read() {
    let lines = ["{".to_owned(), "[]".to_owned(), "x".repeat(20_000), String::new(), request(1, "ping", &json!({}))];
    let all = answers(&lines);
    assert_eq!(all.len(), 4, "{all:?}");
    let errors = all.iter().filter(|message| message["error"]["code"] == -32700 && message["id"].is_null());
    assert_eq!((errors.count(), &all[3]["result"]), (3, &json!({})));
}

#[test]
fn wrong_calls_say_what_to_do() {
    let lines = [
        call(1, "check", &json!({"path": "a"})),
        call(2, "explain", &json!({})),
        call(3, "check", &json!({"limit": 1_000})),
        call(4, "check", &json!({"files": {"a": 1}})),
        call(5, "deploy", &json!({})),
        request(6, "resources/list", &json!({})),
        call(7, "check", &json!({"paths": "one", "limit": null})),
        call(8, "check", &json!([1])),
    ];
    let all = answers(&lines);
    let text = |at: usize| all[at]["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text(0).starts_with("`check` has no argument \"path\", did you mean `paths`?; its arguments are "),
        "{}",
        text(0)
    );
    assert_eq!(text(1), "the argument `at` is missing");
    assert_eq!(text(2), "`limit` must be a number from 0 to 100");
    assert_eq!(text(3), "a text in `files` must be a string, or null for a deleted file");
    assert!((0..4).all(|at| all[at]["result"]["isError"] == true));
    assert_eq!((&all[4]["error"]["code"], &all[5]["error"]["code"]), (&json!(-32602), &json!(-32601)));
    assert_eq!((text(6), text(7)), ("check", "the arguments must be an object"));
}

#[test]
fn a_call_that_takes_too_long_is_stopped_and_others_wait() {
    let mut lines = vec![call(1, "type", &json!({"type": "x"}))];
    lines.extend((2..12).map(|id| call(id, "rules", &json!({"id": "x"}))));
    let all = answers(&lines);
    let texts: Vec<&str> =
        all.iter().map(|message| message["result"]["content"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(texts[0], "type late");
    assert_eq!(texts.iter().filter(|text| **text == "rules").count(), 8, "{texts:?}");
    assert!(texts[9..].iter().all(|text| text.starts_with("busy: ")), "{texts:?}");
}

#[test]
fn a_cancelled_call_has_no_answer() {
    let cancel = |id: i64| {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string()
    };
    let lines = [
        call(1, "type", &json!({"type": "x"})),
        call(2, "rules", &json!({"id": "x"})),
        call(3, "check", &json!({})),
        cancel(2),
        cancel(1),
        cancel(9),
    ];
    let ids: Vec<i64> = answers(&lines).iter().filter_map(|message| message["id"].as_i64()).collect();
    assert_eq!(ids, [3]);
}

#[test]
fn a_defect_is_an_answer() {
    let lines = [call(1, "expand", &json!({"file": "x"})), call(2, "check", &json!({}))];
    let all = answers(&lines);
    assert_eq!(all[0]["result"]["isError"], true);
    assert_eq!(all[1]["result"]["content"][0]["text"], "check");
}
