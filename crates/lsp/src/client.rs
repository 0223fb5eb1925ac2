//! Capabilities and settings of a client.

use std::path::{Path, PathBuf};

use formwork_model::diagnostic::Level;
use gen_lsp_types::PositionEncodingKind;
use serde_json::Value;

use crate::checks::Extent;
use crate::environment;
use crate::text::Encoding;
use crate::uri;

/// Capabilities of a client, and its open folders. A capability that it does not declare is absent.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability of its own in the protocol")]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// Folders of the workspace. Empty if only files are open.
    pub(crate) folders: Vec<PathBuf>,
    /// True if it shows related locations of a diagnostic.
    pub(crate) shows_related: bool,
    /// True if it shows the page of a rule.
    pub(crate) shows_pages: bool,
    pub(crate) refreshes_lenses: bool,
    pub(crate) refreshes_hints: bool,
    /// True if it watches files for the server.
    pub(crate) watches_files: bool,
    /// True if an edit can contain a snippet.
    pub(crate) has_snippets: bool,
    /// True if it opens URIs from the server, also in a browser.
    pub(crate) opens_links: bool,
    /// True if it shows progress that the server starts.
    pub(crate) shows_progress: bool,
    /// True if it shows documents with content from the server.
    pub(crate) shows_documents: bool,
    /// True if the server can request its settings.
    pub(crate) has_settings: bool,
    /// True if it can notify of changed settings.
    pub(crate) notifies_of_settings: bool,
    /// `initializationOptions`, which settings override.
    initial: Value,
    pub(crate) options: Options,
}

/// Display settings, from `initializationOptions` and later settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Options {
    /// True if the origins of a value get a hint about the finding that the value causes.
    pub(crate) causes: bool,
    /// Part of a folder that is checked.
    pub(crate) checked: Extent,
    pub(crate) code_lens: bool,
    /// Name of the environment whose values are shown, if only one can be shown.
    pub(crate) environment: Option<String>,
    pub(crate) hints: Hints,
    pub(crate) beside: Beside,
    /// True if undecided results get hints.
    pub(crate) undecided: bool,
    /// True if a text is checked only when it is saved.
    pub(crate) waits_for_save: bool,
    /// Lowest level that is shown, if not the lowest of all.
    pub(crate) least: Option<Level>,
}

/// Values that are shown in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hints {
    #[default]
    Off,
    /// Computed names of resources.
    Names,
    /// All computed values.
    All,
}

/// Languages whose own extensions run beside the server. The server does not repeat their diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a language of its own")]
pub(crate) struct Beside {
    /// Resource Manager templates in JSON.
    pub(crate) arm: bool,
    pub(crate) bicep: bool,
    pub(crate) cloudformation: bool,
    /// Settings files, by their schema.
    pub(crate) yaml: bool,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn from_parameters(parameters: &Value) -> Self {
        let capabilities = &parameters["capabilities"];
        let can = |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
        let offered = capabilities.pointer("/general/positionEncodings").cloned().unwrap_or_default();
        let offered: Vec<PositionEncodingKind> = serde_json::from_value(offered).unwrap_or_default();
        let shows_related = can("/textDocument/publishDiagnostics/relatedInformation");
        Self {
            encoding: Encoding::choose(&offered),
            folders: folders(parameters),
            shows_related,
            shows_pages: can("/textDocument/publishDiagnostics/codeDescriptionSupport"),
            refreshes_lenses: can("/workspace/codeLens/refreshSupport"),
            refreshes_hints: can("/workspace/inlayHint/refreshSupport"),
            watches_files: can("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            has_snippets: can("/workspace/workspaceEdit/snippetEditSupport"),
            opens_links: can("/window/showDocument/support"),
            shows_progress: can("/window/workDoneProgress"),
            shows_documents: capabilities.pointer("/workspace/textDocumentContent").is_some_and(Value::is_object),
            has_settings: can("/workspace/configuration"),
            notifies_of_settings: can("/workspace/didChangeConfiguration/dynamicRegistration"),
            initial: parameters["initializationOptions"].clone(),
            options: Options::from_json(&parameters["initializationOptions"], shows_related),
        }
    }

    /// Merges the section `formwork` of the client's settings into the initial options. Settings that are `null` are
    /// not set.
    pub(crate) fn configured(&self, settings: &Value) -> Options {
        let mut options = self.initial.as_object().cloned().unwrap_or_default();
        let set = settings.as_object().into_iter().flatten().filter(|(name, value)| match name.as_str() {
            // The extension for VS Code has a setting of this name, which it reads itself.
            "beside" => value.is_array(),
            _ => !value.is_null(),
        });
        options.extend(set.map(|(name, value)| (name.clone(), value.clone())));
        Options::from_json(&Value::Object(options), self.shows_related)
    }
}

impl Options {
    fn from_json(options: &Value, shows_related: bool) -> Self {
        let is_on = |name: &str| options.get(name).and_then(Value::as_bool);
        Self {
            // Without links back, these hints would only fill the list of problems.
            causes: is_on("causes").unwrap_or(shows_related),
            checked: match options.get("check").and_then(Value::as_str) {
                Some("off") => Extent::Nothing,
                Some("workspace") => Extent::Everything,
                _ => Extent::Open,
            },
            code_lens: is_on("codeLens").unwrap_or(true),
            environment: options
                .get("environment")
                .and_then(Value::as_str)
                .filter(|name| !name.is_empty())
                .map(ToOwned::to_owned),
            hints: match options.get("inlayHints").and_then(Value::as_str) {
                Some("off") => Hints::Off,
                Some("all") => Hints::All,
                _ => Hints::Names,
            },
            undecided: is_on("undecided").unwrap_or_default(),
            beside: Beside::from_json(&options["beside"]),
            waits_for_save: options.get("run").and_then(Value::as_str) == Some("onSave"),
            least: match options.get("minSeverity").and_then(Value::as_str) {
                Some("error") => Some(Level::Error),
                Some("warning") => Some(Level::Warning),
                _ => None,
            },
        }
    }
}

impl Options {
    /// True if a deployment is that of the chosen environment.
    pub(crate) fn has_chosen(&self, template: &str, parameters: Option<&str>) -> bool {
        self.environment.as_deref().is_some_and(|chosen| environment::name(template, parameters) == chosen)
    }
}

impl Beside {
    /// Reads a list of languages.
    fn from_json(languages: &Value) -> Self {
        let is_listed =
            |name: &str| languages.as_array().is_some_and(|listed| listed.iter().any(|language| language == name));
        Self {
            arm: is_listed("arm"),
            bicep: is_listed("bicep"),
            cloudformation: is_listed("cloudformation"),
            yaml: is_listed("yaml"),
        }
    }

    /// True if another extension covers a file. `is_of_aws` returns `true` if the text has AWS types.
    pub(crate) fn has(self, path: &Path, is_of_aws: impl FnOnce() -> bool) -> bool {
        match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("bicep" | "bicepparam") => self.bicep,
            _ if is_of_aws() => self.cloudformation,
            _ => self.arm,
        }
    }
}

/// Returns the folders of the workspace. Older clients send a single one.
fn folders(parameters: &Value) -> Vec<PathBuf> {
    let listed = parameters["workspaceFolders"].as_array().into_iter().flatten();
    let listed: Vec<PathBuf> = listed.filter_map(|folder| uri::path(folder["uri"].as_str()?)).collect();
    if !listed.is_empty() {
        return listed;
    }
    parameters["rootUri"].as_str().and_then(uri::path).into_iter().collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_client_does_not_say_it_cannot_do() {
        let client = Client::from_parameters(&json!({"rootUri": null, "workspaceFolders": [], "capabilities": 5}));
        assert!(!client.shows_related && !client.options.causes && client.options.code_lens);
        assert_eq!((client.encoding, client.folders), (Encoding::Utf16, Vec::new()));
    }

    #[test]
    fn settings_override_what_was_said_at_the_start() {
        let client = Client::from_parameters(
            &json!({"initializationOptions": {"beside": ["arm"], "run": "onSave", "check": "off"}}),
        );
        let options = client.configured(&json!({"beside": "auto", "check": null, "codeLens": false, "own": 1}));
        assert_eq!(options, Options { code_lens: false, ..client.options.clone() });
        let options = client.configured(&json!({"beside": [], "run": "onType", "check": "workspace"}));
        let expected = Options {
            beside: Beside::default(),
            waits_for_save: false,
            checked: Extent::Everything,
            ..client.options.clone()
        };
        assert_eq!(options, expected);
        for none in [Value::Null, json!([]), json!("x")] {
            assert_eq!(client.configured(&none), client.options);
        }
    }

    #[test]
    fn clients_offer_encodings_in_any_order() {
        for (offered, expected) in [
            (json!(["utf-16"]), Encoding::Utf16),
            (json!(["utf-16", "utf-8"]), Encoding::Utf8),
            (json!(["utf-16", "utf-32", "own"]), Encoding::Utf32),
            (json!("utf-8"), Encoding::Utf16),
        ] {
            let client = Client::from_parameters(&json!({"capabilities": {"general": {"positionEncodings": offered}}}));
            assert_eq!(client.encoding, expected);
        }
    }

    #[test]
    fn other_extensions_are_listed_by_their_languages() {
        let beside =
            |value| Client::from_parameters(&json!({"initializationOptions": {"beside": value}})).options.beside;
        assert_eq!(beside(json!(["bicep", "cobol"])), Beside { bicep: true, ..Beside::default() });
        let all = Beside { arm: true, bicep: true, cloudformation: true, yaml: true };
        assert_eq!(beside(json!(["cloudformation", "bicep", "yaml", "arm"])), all);
        assert_eq!([beside(json!("bicep")), beside(json!(null))], [Beside::default(); 2]);
    }

    #[test]
    fn other_extensions_know_the_files_of_their_languages() {
        for (language, files) in
            [("arm", [false, true, false]), ("bicep", [true, false, false]), ("cloudformation", [false, false, true])]
        {
            let beside = Beside::from_json(&json!([language]));
            let has = [("a.bicep", false), ("a.json", false), ("a.json", true)]
                .map(|(name, is_of_aws)| beside.has(Path::new(name), || is_of_aws));
            assert_eq!(has, files, "{language}");
        }
    }

    /// Settings that the extension for VS Code reads itself have no option.
    #[test]
    fn settings_of_the_extension_are_options() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/vscode/package.json");
        let manifest: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let settings = manifest.pointer("/contributes/configuration/properties").and_then(Value::as_object).unwrap();
        let of_client = ["formwork.beside", "formwork.path", "formwork.trace.server"];
        let mut options = json!({});
        for (name, setting) in settings.iter().filter(|(name, _)| !of_client.contains(&name.as_str())) {
            let name = name.strip_prefix("formwork.").unwrap();
            options[name] = setting["default"].clone();
            let default = Options::from_json(&options, true);
            assert_eq!(default, Options::from_json(&Value::Null, true), "{name}");
            let others = setting["enum"].as_array().cloned().unwrap_or_else(|| match setting["type"].as_str() {
                Some("boolean") => vec![json!(true), json!(false)],
                _ => vec![json!("x")],
            });
            for other in others.into_iter().filter(|other| *other != setting["default"]) {
                assert_ne!(Options::from_json(&json!({ name: other }), true), default, "{name}: {other}");
            }
        }
        assert_eq!(
            options,
            json!({"causes": true, "check": "open", "codeLens": true, "environment": "", "inlayHints": "names", "minSeverity": "note", "run": "onType", "undecided": false})
        );
    }

    #[test]
    fn folders_come_before_the_root() {
        let parameters = json!({"rootUri": "file:///a", "workspaceFolders": [{"uri": "file:///b"}, {"uri": "x:y"}]});
        assert_eq!(Client::from_parameters(&parameters).folders, [PathBuf::from("/b")]);
        assert_eq!(Client::from_parameters(&json!({"rootUri": "file:///a"})).folders, [PathBuf::from("/a")]);
    }
}
