//! `parameters` of `formwork.yaml`.
//!
//! ```yaml
//! parameters:
//!   - files: environments/*/network.json    # a glob, relative to this file; or a list
//!     template: infra/network.bicep         # relative to this file
//! ```

use crate::config::reader::SettingsReader;
use crate::config::suppressions::{Form, SuppressionKey};
use crate::files::TemplateOf;
use crate::value::{Member, Value};

/// The keys of an entry.
pub(super) const KEYS: &[SuppressionKey] = &[
    SuppressionKey {
        name: "files",
        takes: Form::Strings,
        summary: "Globs of the parameter files that belong to the template. Relative to the settings file.",
    },
    SuppressionKey { name: "template", takes: Form::Text, summary: "The template. Relative to the settings file." },
];

impl SettingsReader<'_> {
    /// Reads the list of templates and their parameter files.
    pub(super) fn templates(&mut self, member: &Member) -> Vec<TemplateOf> {
        let Some(items) = member.value.as_array() else {
            self.wrong_kind(&member.value, "`parameters`", "a list of objects");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.template(item)).collect()
    }

    fn template(&mut self, value: &Value) -> Option<TemplateOf> {
        let object = self.object(value, "an entry of `parameters`")?;
        self.report_unknown(object, KEYS.iter().map(|key| key.name));
        let member = |name: &str| object.iter().find(|member| &*member.key == name);
        let (Some(files), Some(template)) = (member("files"), member("template")) else {
            self.invalid(value, "an entry of `parameters` needs `files` and `template`".to_owned());
            return None;
        };
        let files = self.globs(files);
        let (template, _) = self.file(template)?;
        Some(TemplateOf { files, template })
    }
}
