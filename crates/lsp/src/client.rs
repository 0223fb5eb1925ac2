//! What a client says of itself when it starts the server.

use std::path::{Path, PathBuf};

use formwork_model::diagnostic::Level;
use gen_lsp_types::PositionEncodingKind;
use serde_json::Value;

use crate::checks::Extent;
use crate::environment;
use crate::text::Encoding;
use crate::uri;

/// What a client can do, and which folders it has open. What it does not say, it cannot do.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability of its own in the protocol")]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// The folders of the workspace. Empty if only files are open.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether it shows other places beside a finding.
    pub(crate) shows_related: bool,
    /// Whether it shows the page of a rule.
    pub(crate) shows_pages: bool,
    pub(crate) refreshes_lenses: bool,
    pub(crate) refreshes_hints: bool,
    /// Whether it watches files for the server.
    pub(crate) watches_files: bool,
    /// Whether an edit may have a place for the cursor.
    pub(crate) has_snippets: bool,
    /// Whether it opens what the server names, in a browser as well.
    pub(crate) opens_links: bool,
    /// Whether it shows how far the server is with what nobody asked for.
    pub(crate) shows_progress: bool,
    /// Whether it shows documents that the server makes.
    pub(crate) shows_documents: bool,
    /// Whether it can be asked for its settings.
    pub(crate) has_settings: bool,
    /// Whether it tells of new settings if it is asked to.
    pub(crate) tells_of_settings: bool,
    /// The `initializationOptions`, which settings override.
    initial: Value,
    pub(crate) options: Options,
}

/// The settings of presentation, from `initializationOptions` and what the client says later of its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Options {
    /// Whether the places that a value comes from have a hint that says what it leads to.
    pub(crate) causes: bool,
    /// What of a folder is checked.
    pub(crate) checked: Extent,
    pub(crate) code_lens: bool,
    /// The environment whose values are shown where those of only one are, by its name.
    pub(crate) environment: Option<String>,
    pub(crate) hints: Hints,
    pub(crate) beside: Beside,
    /// Whether there are hints where only a deployment can decide.
    pub(crate) undecided: bool,
    /// Whether a text is checked only when it is saved.
    pub(crate) waits_for_save: bool,
    /// The least level that is shown, if that is not the lowest.
    pub(crate) least: Option<Level>,
}

/// Which values are shown in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hints {
    #[default]
    Off,
    /// The computed names of resources.
    Names,
    /// Everything that is computed.
    All,
}

/// The languages whose own extensions run beside the server, which then does not say what they say too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a language of its own")]
pub(crate) struct Beside {
    /// Templates of Resource Manager in JSON.
    pub(crate) arm: bool,
    pub(crate) bicep: bool,
    pub(crate) cloudformation: bool,
    /// Settings, by their schema.
    pub(crate) yaml: bool,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn of(parameters: &Value) -> Self {
        let capabilities = &parameters["capabilities"];
        let can = |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
        let offered = capabilities.pointer("/general/positionEncodings").cloned().unwrap_or_default();
        let offered: Vec<PositionEncodingKind> = serde_json::from_value(offered).unwrap_or_default();
        let shows_related = can("/textDocument/publishDiagnostics/relatedInformation");
        Self {
            encoding: Encoding::of(&offered),
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
            tells_of_settings: can("/workspace/didChangeConfiguration/dynamicRegistration"),
            initial: parameters["initializationOptions"].clone(),
            options: Options::of(&parameters["initializationOptions"], shows_related),
        }
    }

    /// The options with the settings of the section `formwork`, which override those from the start. A setting that is `null` is
    /// not set.
    pub(crate) fn configured(&self, settings: &Value) -> Options {
        let mut options = self.initial.as_object().cloned().unwrap_or_default();
        let is_set = |(name, value): &(&String, &Value)| match name.as_str() {
            // The extension for VS Code has a setting of this name, which it reads itself.
            "beside" => value.is_array(),
            _ => !value.is_null(),
        };
        let set = settings.as_object().into_iter().flatten().filter(is_set);
        options.extend(set.map(|(name, value)| (name.clone(), value.clone())));
        Options::of(&Value::Object(options), self.shows_related)
    }
}

impl Options {
    fn of(options: &Value, shows_related: bool) -> Self {
        let is_on = |name: &str| options.get(name).and_then(Value::as_bool);
        Self {
            // Without the way back, and in a list of problems, they are noise.
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
            beside: Beside::of(&options["beside"]),
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
    /// Whether a deployment is that of the environment that is shown.
    pub(crate) fn has_chosen(&self, template: &str, parameters: Option<&str>) -> bool {
        self.environment.as_deref().is_some_and(|chosen| environment::name(template, parameters) == chosen)
    }
}

impl Beside {
    /// Reads a list of languages.
    fn of(languages: &Value) -> Self {
        let is_listed =
            |name: &str| languages.as_array().is_some_and(|listed| listed.iter().any(|language| language == name));
        Self {
            arm: is_listed("arm"),
            bicep: is_listed("bicep"),
            cloudformation: is_listed("cloudformation"),
            yaml: is_listed("yaml"),
        }
    }

    /// Whether another extension knows what a file declares. `is_of_aws` tells whether its text has types of AWS.
    pub(crate) fn has(self, path: &Path, is_of_aws: impl FnOnce() -> bool) -> bool {
        match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("bicep" | "bicepparam") => self.bicep,
            _ if is_of_aws() => self.cloudformation,
            _ => self.arm,
        }
    }
}

/// The folders of the workspace, which older clients give as one.
fn folders(parameters: &Value) -> Vec<PathBuf> {
    let listed = parameters["workspaceFolders"].as_array().into_iter().flatten();
    let listed: Vec<PathBuf> = listed.filter_map(|folder| uri::path(folder["uri"].as_str()?)).collect();
    let root = || parameters["rootUri"].as_str().and_then(uri::path).into_iter().collect();
    if listed.is_empty() { root() } else { listed }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_client_does_not_say_it_cannot_do() {
        let client = Client::of(&json!({"rootUri": null, "workspaceFolders": [], "capabilities": 5}));
        assert!(!client.shows_related && !client.options.causes && client.options.code_lens);
        assert_eq!((client.encoding, client.folders), (Encoding::Utf16, Vec::new()));
    }

    #[test]
    fn settings_override_what_was_said_at_the_start() {
        let client =
            Client::of(&json!({"initializationOptions": {"beside": ["arm"], "run": "onSave", "check": "off"}}));
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
            let client = Client::of(&json!({"capabilities": {"general": {"positionEncodings": offered}}}));
            assert_eq!(client.encoding, expected);
        }
    }

    #[test]
    fn other_extensions_are_listed_by_their_languages() {
        let beside = |value| Client::of(&json!({"initializationOptions": {"beside": value}})).options.beside;
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
            let beside = Beside::of(&json!([language]));
            let has = [("a.bicep", false), ("a.json", false), ("a.json", true)]
                .map(|(name, is_of_aws)| beside.has(Path::new(name), || is_of_aws));
            assert_eq!(has, files, "{language}");
        }
    }

    /// Those that the extension for VS Code reads itself have no option.
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
            let default = Options::of(&options, true);
            assert_eq!(default, Options::of(&Value::Null, true), "{name}");
            let others = setting["enum"].as_array().cloned().unwrap_or_else(|| match setting["type"].as_str() {
                Some("boolean") => vec![json!(true), json!(false)],
                _ => vec![json!("x")],
            });
            for other in others.into_iter().filter(|other| *other != setting["default"]) {
                assert_ne!(Options::of(&json!({ name: other }), true), default, "{name}: {other}");
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
        assert_eq!(Client::of(&parameters).folders, [PathBuf::from("/b")]);
        assert_eq!(Client::of(&json!({"rootUri": "file:///a"})).folders, [PathBuf::from("/a")]);
    }
}
