//! Bicep: reading and compiling end, each value has a place, and the same file compiles to the same template.

use std::path::Path;

use arcstr::ArcStr;

use crate::bicep::compiler::memory::Memory;
use crate::bicep::compiler::{Compilation, compile, compile_parameters};
use crate::bicep::language::ast::Expr;
use crate::bicep::language::parse;
use crate::bicep::language::walk::each_child;
use crate::diagnostic::Level;
use crate::engine::invariants::compiled;
use crate::invariants::{check_problems, check_span, check_value, on_deep_stack, text};
use crate::text::Sources;

/// Declarations that a file may use.
const MODULE: &str = "@export()
type sku = 'a' | 'b'
@export()
func twice(n int) int => n * 2
@export()
var names = ['x', 'y']
param prefix string = 'p'
param kind sku = 'a'
@secure()
param key string = ''
output id string = '${prefix}-${kind}'
";

const CONFIGURATION: &str = r#"{"extensions": {"microsoftGraphV1": "br:mcr.microsoft.com/bicep/extensions/microsoftgraph/v1.0:0.1.8-preview"},
"moduleAliases": {"br": {"public": {"registry": "mcr.microsoft.com", "modulePath": "bicep"}}}}"#;

/// Checks a Bicep file, with a module beside it.
pub fn bicep(bytes: &[u8]) {
    check_compilation("main.bicep", &text(bytes), |path, host| compile(path, host));
}

/// Checks a parameter file in Bicep, with its template beside it.
pub fn bicep_parameters(bytes: &[u8]) {
    check_compilation("main.bicepparam", &text(bytes), |path, host| compile_parameters(path, host));
}

fn check_compilation(name: &str, text: &str, compile: fn(&Path, &mut Memory<'_>) -> Compilation) {
    on_deep_stack(|| {
        check_tree(name, text);
        let once = built(name, text, compile);
        assert_eq!(once, built(name, text, compile));
        if let (Some(template), parameters) = once {
            compiled(&template, parameters.as_deref());
        }
    });
}

/// Requires that everything in the tree lies in the text.
fn check_tree(name: &str, text: &str) {
    let sources = Sources::new();
    let file = sources.add(name, text);
    let tree = parse(file, &ArcStr::from(text));
    check_problems(&tree.problems, &sources);
    for declaration in &tree.declarations {
        check_span(declaration.span, &sources);
        declaration.name().into_iter().for_each(|name| check_span(name.span, &sources));
        declaration.each_value(&mut |value| check_expression(value, &sources));
    }
    for comment in tree.comments() {
        check_span(comment, &sources);
        assert!(tree.slice(comment).starts_with('/'));
    }
}

fn check_expression(expr: &Expr, sources: &Sources) {
    check_span(expr.span, sources);
    each_child(expr, &mut |child| check_expression(child, sources));
}

/// Returns the template and the parameters that a file is compiled to.
fn built(
    name: &str,
    text: &str,
    compile: fn(&Path, &mut Memory<'_>) -> Compilation,
) -> (Option<String>, Option<String>) {
    let sources = Sources::new();
    let beside = [("module.bicep", MODULE), ("bicepconfig.json", CONFIGURATION), ("data.json", r#"{"a": [1, 2]}"#)];
    let mut host = Memory::new(&sources, beside.into_iter().chain([(name, text)]));
    let Compilation { template, parameters, problems, .. } = compile(&Path::new("/r").join(name), &mut host);
    check_problems(&problems, &sources);
    let is_refused = problems.iter().any(|problem| problem.level == Level::Error);
    assert!(is_refused || template.is_some() || parameters.is_some(), "{problems:?}");
    template.iter().chain(&parameters).for_each(|value| check_value(value, &sources));
    (template.map(|value| value.to_json()), parameters.map(|value| value.to_json()))
}
