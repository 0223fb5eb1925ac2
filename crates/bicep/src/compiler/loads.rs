//! Files that `loadTextContent()` and similar functions read.

use std::path::Path;

use arcstr::ArcStr;
use base64::Engine;

use crate::compiler::functions;
use crate::compiler::host::Host;
use crate::compiler::imports;
use crate::compiler::json_path;
use crate::compiler::loaded::{Load, Loads};
use crate::compiler::model::{Model, Symbol};
use crate::compiler::order;
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Interpolation, Item};
use crate::language::walk::each_child;
use crate::path::normalize;
use crate::syntax;
use crate::text::Span;
use crate::value::{Data, Member, Value};

/// Maximum size of a loaded file.
const MAX_BYTES: usize = 16 << 20;

struct Loader<'a, 'h> {
    model: &'a Model<'a>,
    host: &'h mut dyn Host,
    loads: Loads,
    problems: Vec<(Span, String)>,
}

/// Loads all files that a source file names. Returns them and the problems.
pub(super) fn load(model: &Model<'_>, host: &mut dyn Host) -> (Loads, Vec<(Span, String)>) {
    let mut loader = Loader { model, host, loads: Loads::default(), problems: Vec::new() };
    for statement in model.declarations {
        for argument in statement.decorators.iter().flat_map(|decorator| &decorator.arguments) {
            loader.visit(argument, true);
        }
        match &statement.kind {
            DeclarationKind::Metadata { value, .. }
            | DeclarationKind::Assert { value, .. }
            | DeclarationKind::Output { value, .. }
            | DeclarationKind::Param { value: Some(value), .. } => loader.visit(value, true),
            DeclarationKind::Var { value, .. } => loader.direct(value),
            DeclarationKind::Func(function) => loader.visit(&function.body, false),
            DeclarationKind::Resource(resource) => loader.visit(&resource.body, true),
            DeclarationKind::Module(module) => loader.visit(&module.body, true),
            DeclarationKind::Extension(extension) => {
                extension.config.iter().for_each(|config| loader.visit(config, true));
            }
            _ => {}
        }
    }
    (loader.loads, loader.problems)
}

impl Loader<'_, '_> {
    /// Visits the value of a variable. A loaded text becomes its value, without another variable.
    fn direct(&mut self, value: &Expr) {
        match &value.kind {
            // The text is the value of the variable itself.
            ExprKind::Call { name, .. } | ExprKind::Method { name, .. }
                if matches!(&*name.text, "loadTextContent" | "loadFileAsBase64") =>
            {
                self.call(value, false);
            }
            _ => self.visit(value, true),
        }
    }

    fn visit(&mut self, expr: &Expr, has_variables: bool) {
        if let ExprKind::Call { .. } | ExprKind::Method { .. } = &expr.kind {
            self.call(expr, has_variables);
        }
        if let ExprKind::Object(items) = &expr.kind {
            for item in items {
                if let Item::Resource(resource) = item {
                    self.visit(&resource.body, has_variables);
                }
            }
        }
        each_child(expr, &mut |child| self.visit(child, has_variables));
    }

    fn call(&mut self, expr: &Expr, has_variable: bool) {
        let (name, arguments) = match &expr.kind {
            ExprKind::Call { name, arguments } if !self.model.symbols.contains_key(&*name.text) => (name, arguments),
            ExprKind::Method { base, name, arguments } => match &base.kind {
                ExprKind::Variable(namespace) if &*namespace.text == "sys" => (name, arguments),
                _ => return,
            },
            _ => return,
        };
        if !functions::loads_file(&name.text) {
            return;
        }
        let mut texts = Vec::new();
        for argument in arguments {
            let Some(text) = constant(self.model, argument, 0) else {
                let message = format!("the arguments of `{}` have to be constant", name.text);
                return self.problems.push((argument.span, message));
            };
            texts.push(text);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        match self.load(&name.text, &texts) {
            Ok(value) => {
                let variable = has_variable.then(|| format!("$fxv#{}", self.loads.order.len()));
                if has_variable {
                    self.loads.order.push(expr.span);
                }
                self.loads.calls.insert(expr.span, Load { variable, value: placed(&value, expr.span) });
            }
            Err(message) => self.problems.push((expr.span, message)),
        }
    }

    fn load(&mut self, function: &str, arguments: &[&str]) -> Result<Value, String> {
        let Some(path) = arguments.first() else { return Err(format!("`{function}` needs a path")) };
        let folder = self.model.unit.path.parent().unwrap_or(&self.model.unit.path);
        let path = normalize(folder, Path::new(&path.replace('\\', "/")));
        if !self.host.is_inside(&path) {
            return Err("the path leads out of the repository; only files in it are read".to_owned());
        }
        match function {
            "loadFileAsBase64" => {
                let bytes = self.host.bytes(&path)?;
                check_size(bytes.len())?;
                Ok(Value::from(base64::engine::general_purpose::STANDARD.encode(bytes)))
            }
            "loadTextContent" => {
                let bytes = self.host.bytes(&path)?;
                check_size(bytes.len())?;
                decoded(&bytes, arguments.get(1).copied()).map(Value::from)
            }
            "loadJsonContent" | "loadYamlContent" => {
                let bytes = self.host.bytes(&path)?;
                check_size(bytes.len())?;
                let text: ArcStr = decoded(&bytes, arguments.get(2).copied())?.into();
                let file = self.model.file;
                let parsed = if function == "loadJsonContent" {
                    syntax::json::parse(file, &text, 100)
                } else {
                    syntax::yaml::parse(file, &text, 100)
                };
                let problem = parsed.diagnostics.first().map(|problem| problem.message.clone());
                let value = parsed.value.filter(|_| problem.is_none());
                let value = value.ok_or_else(|| problem.unwrap_or_else(|| "the file is empty".to_owned()))?;
                match arguments.get(1) {
                    Some(selector) => json_path::select(&value, selector)
                        .ok_or_else(|| format!("the file has nothing at `{selector}`")),
                    None => Ok(value),
                }
            }
            _ => self.listed(folder, &path, arguments.get(1).copied()),
        }
    }
}

impl Loader<'_, '_> {
    /// Returns the value of `loadDirectoryFileInfo()`.
    fn listed(&mut self, from: &Path, folder: &Path, pattern: Option<&str>) -> Result<Value, String> {
        let paths = self.host.files_in(folder)?;
        let names = paths.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.retain(|name| pattern.is_none_or(|pattern| matches(pattern.as_bytes(), name.as_bytes())));
        names.sort_by(|a, b| order::compare(a, b));
        Ok(Value::array(names.iter().map(|name| file_info(from, folder, name)).collect()))
    }
}

fn file_info(from: &Path, folder: &Path, name: &str) -> Value {
    let extension = name.rsplit_once('.').map(|(_, extension)| format!(".{extension}")).unwrap_or_default();
    Value::object(vec![
        Member::new("relativePath", Value::from(imports::relative(from, &folder.join(name)))),
        Member::new("baseName", Value::from(name)),
        Member::new("extension", Value::from(extension)),
    ])
}

/// True if a name matches a pattern, in which `*` stands for any text and `?` for one character.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // Tried next if the rest does not match: the last `*` takes one more byte.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern, name) {
            ([b'*', rest @ ..], _) => {
                retry = Some((rest, name));
                pattern = rest;
            }
            ([], []) => return true,
            ([b'?', rest @ ..], [_, after @ ..]) => (pattern, name) = (rest, after),
            ([a, rest @ ..], [b, after @ ..]) if a.eq_ignore_ascii_case(b) => (pattern, name) = (rest, after),
            _ => match retry {
                Some((rest, [_, after @ ..])) => {
                    retry = Some((rest, after));
                    (pattern, name) = (rest, after);
                }
                _ => return false,
            },
        }
    }
}

fn check_size(bytes: usize) -> Result<(), String> {
    if bytes > MAX_BYTES { Err(format!("the file has more than {MAX_BYTES} bytes")) } else { Ok(()) }
}

/// Decodes a file in one of the encodings that Bicep supports.
fn decoded(bytes: &[u8], encoding: Option<&str>) -> Result<String, String> {
    let text = match encoding {
        None | Some("utf-8") => match bytes {
            [0xFF, 0xFE, rest @ ..] => utf_16(rest, u16::from_le_bytes),
            [0xFE, 0xFF, rest @ ..] => utf_16(rest, u16::from_be_bytes),
            _ => String::from_utf8_lossy(bytes).into_owned(),
        },
        Some("utf-16") => utf_16(bytes, u16::from_le_bytes),
        Some("utf-16BE") => utf_16(bytes, u16::from_be_bytes),
        Some("iso-8859-1") => bytes.iter().copied().map(char::from).collect(),
        Some("us-ascii") => bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect(),
        Some(other) => return Err(format!("the encoding `{other}` is unknown")),
    };
    Ok(text.strip_prefix('\u{FEFF}').map(ToOwned::to_owned).unwrap_or(text))
}

fn utf_16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| read(*pair)).collect();
    String::from_utf16_lossy(&units)
}

/// Sets the span of a value and of everything in it.
fn placed(value: &Value, span: Span) -> Value {
    let value = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(|item| placed(item, span)).collect()),
        Data::Object(members) => {
            let members = members.iter().map(|member| Member::new(member.key.clone(), placed(&member.value, span)));
            Value::object(members.collect())
        }
        _ => value.clone(),
    };
    value.at(span)
}

/// Returns the text of an expression, if it is known without a deployment.
fn constant(model: &Model<'_>, expr: &Expr, depth: u32) -> Option<String> {
    if depth > 20 {
        return None;
    }
    match &expr.bare().kind {
        ExprKind::Text(text) => {
            let mut all = text.first.to_string();
            for Interpolation { value, text } in &text.interpolations {
                all.push_str(&constant(model, value, depth + 1)?);
                all.push_str(text);
            }
            Some(all)
        }
        ExprKind::Variable(name) => match model.symbols.get(&*name.text)? {
            Symbol::Variable(at) => constant(model, model.variables.get(*at)?.value?, depth + 1),
            _ => None,
        },
        _ => None,
    }
}
