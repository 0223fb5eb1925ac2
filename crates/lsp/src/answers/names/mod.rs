//! Uses of declarations in a text.

use std::ops::Range;
use std::path::Path;

use arcstr::ArcStr;

use crate::outline::{self, Kind, is_of_aws};

mod bicep;
mod functions;
mod json;
mod scopes;

/// Maximum number of places that are listed.
pub(super) const MAX_PLACES: usize = 2_000;

/// Returns the uses of a declaration of this kind in a file.
pub(super) fn uses(path: &Path, text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicep") => bicep::uses(text, name),
        _ if is_of_aws(text) => functions::uses(text, name, kind),
        _ => json::uses(text, name, kind),
    }
}

/// Returns the assignments of a parameter in a parameter file.
pub(super) fn assignments(path: &Path, text: &ArcStr, name: &str) -> Vec<Range<usize>> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicepparam") => bicep::assignments(text, name),
        _ => json::assignments(outline::parsed(path, text).as_ref(), text, name),
    }
}

/// True if two names are the same in a file. Resource Manager ignores their case; Bicep and CloudFormation do not.
pub(super) fn is_same(path: &Path, text: &str, a: &str, b: &str) -> bool {
    let is_bicep = path.extension().is_some_and(|extension| extension == "bicep" || extension == "bicepparam");
    a == b || (!is_bicep && !is_of_aws(text) && a.eq_ignore_ascii_case(b))
}

/// Returns the places where a Bicep file passes an argument of this name to the modules whose paths are at `paths`.
pub(super) fn arguments(text: &str, paths: &[Range<usize>], name: &str) -> Vec<Range<usize>> {
    bicep::arguments(text, paths, name)
}

/// Returns the kind of declaration that the text before a name requires.
pub(super) fn kind_before(text: &str, start: usize) -> Option<Kind> {
    let before = text.get(..start)?.trim_end_matches(['\'', ' ']);
    let calls = [("parameters(", Kind::Parameter), ("variables(", Kind::Variable)];
    calls.into_iter().find(|(call, _)| ends_with(before, call)).map(|(_, kind)| kind)
}

/// True if a text ends with another one, ignoring case.
fn ends_with(text: &str, end: &str) -> bool {
    text.len().checked_sub(end.len()).and_then(|at| text.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// Iterates over the occurrences of a name as a whole word.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let found = text.match_indices(name).map(|(at, found)| at..at + found.len());
    found.filter(move |range| {
        let before = text.get(..range.start).and_then(|before| before.chars().next_back());
        let after = text.get(range.end..).and_then(|after| after.chars().next());
        !name.is_empty() && ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines (from 0) and what stands before each use in its line.
    #[track_caller]
    fn check(file: &str, text: &str, (name, kind): (&str, Kind), expected: &[(usize, &str)]) {
        let place = |range: Range<usize>| {
            let before = text.get(..range.start).unwrap();
            (before.matches('\n').count(), before.rsplit('\n').next().unwrap())
        };
        let found: Vec<_> = uses(Path::new(file), text, name, kind).into_iter().map(place).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn bicep_names_are_no_properties_comments_or_texts() {
        let text = "param env string\n// env\n/* env\n env */\nvar a = { env: env, b: x.env, c: 'env ${env} ${f('${env}')}' }\n\
                    output env string = env\nvar t = '''\nenv'''\nvar c = env ? env : env\n";
        let expected = [
            (0, "param "),
            (4, "var a = { env: "),
            (4, "var a = { env: env, b: x.env, c: 'env ${"),
            (4, "var a = { env: env, b: x.env, c: 'env ${env} ${f('${"),
            (5, "output env string = "),
            (8, "var c = "),
            (8, "var c = env ? "),
            (8, "var c = env ? env : "),
        ];
        check("a.bicep", text, ("env", Kind::Parameter), &expected);
        // However broken it is.
        for broken in [
            "[for",
            "[for env in",
            "[for (env",
            "(env) =",
            "(env => {",
            "{ resource env",
            "{ resource env = {",
            "env =>",
            "'${",
            "'${env",
            "'''",
            "/*",
            "'\\",
            "}}",
            "'${'${'",
            "é'",
        ] {
            uses(Path::new("a.bicep"), broken, "env", Kind::Parameter);
        }
    }

    #[test]
    fn bicep_names_are_not_those_of_members_loops_functions_and_nested_resources() {
        for (line, uses) in [
            ("output o string = x.?env + x::env + (y ? z : env)", 1),
            ("var a = map(env, env => 'x${env}y${env}${f(env)}')", 1),
            ("var a = reduce(x, (y, env) => env + y, env)", 1),
            ("var a = '${map(x, env => env)}${env}'", 1),
            ("func f(env string, y int) string => env\nvar a = env", 1),
            ("func f(y string) env => env", 2),
            ("var a = [for env in env: env]", 1),
            ("var a = [for (y, env) in f(env): { a: env }]\nvar b = env", 2),
            ("resource p 'T@1' = {\n  resource env 's' = { name: env }\n  x: env\n}\nvar a = env", 1),
            ("resource env 'T@1' = { name: 'x' }", 1),
            ("env::x: env", 2),
        ] {
            let found = uses_of(line);
            let is_right = found.len() == uses;
            assert!(is_right, "{line} {found:?}");
        }
    }

    fn uses_of(text: &str) -> Vec<Range<usize>> {
        uses(Path::new("a.bicep"), text, "env", Kind::Variable)
    }

    /// A template may be one line, and its lists may be long: then nothing is looked back at for each use.
    #[test]
    fn many_uses_are_found_as_fast_as_they_are_read() {
        let many = 20_000;
        for (file, text, kind) in [
            ("a.json", format!("AWS::X{}", "{\"Ref\": \"Env\"},".repeat(many)), Kind::Parameter),
            ("a.json", format!("AWS::X{}", "\"Env\" , ".repeat(many)), Kind::Resource),
            ("a.yaml", format!("AWS::X\nDependsOn:\n{}", "- Env\n".repeat(many)), Kind::Resource),
            ("a.yaml", format!("AWS::X\n{}", "- DependsOn: # DependsOn:\n".repeat(many)), Kind::Resource),
            ("a.yaml", format!("AWS::X{}", "DependsOn: [".repeat(many)), Kind::Resource),
            ("a.json", "[parameters( 'ENV' )]".repeat(many), Kind::Parameter),
            ("a.json", "parameters(".repeat(many), Kind::Parameter),
            ("a.bicep", "env => (".repeat(many), Kind::Parameter),
            ("a.bicep", "(x) => (".repeat(many), Kind::Parameter),
            ("a.bicep", "[for env in ".repeat(many), Kind::Parameter),
            ("a.bicep", "{ resource env ".repeat(many), Kind::Parameter),
        ] {
            assert!(uses(Path::new(file), &text, "Env", kind).len() <= MAX_PLACES.max(many), "{file}");
        }
        let modules = "module m 'm.bicep' = { params: { env: 1 } }\n".repeat(many / 10);
        let paths: Vec<_> = modules.match_indices("m.bicep").map(|(at, path)| at..at + path.len()).collect();
        assert_eq!(arguments(&modules, &paths, "env").len(), many / 10);
    }

    #[test]
    fn names_of_resource_manager_ignore_case_and_blanks() {
        let text = "[concat(Parameters( 'ENV' ), variables('Env'), parameters('env2'), xparameters('env)]";
        check("a.json", text, ("env", Kind::Parameter), &[(0, "[concat(Parameters( '")]);
        check(
            "a.json",
            "{\"$ref\": \"#/definitions/Env\"}",
            ("env", Kind::Type),
            &[(0, "{\"$ref\": \"#/definitions/")],
        );
    }

    #[test]
    fn all_that_a_resource_depends_on_is_used() {
        let list =
            "AWS::X\nDependsOn: [Other, A]\nB: [Other, A]\nDependsOn: # why\n- Other\n\n# A\n- Other # A\n- A\nA:\n";
        check("a.yaml", list, ("A", Kind::Resource), &[(1, "DependsOn: [Other, "), (8, "- ")]);
        let list = "AWS::X\n  DependsOn:\n    - A\nC: !GetAtt\n  - A\n  - A\nDependsOn: A\nA:\n";
        check("a.yaml", list, ("A", Kind::Resource), &[(2, "    - "), (4, "  - "), (6, "DependsOn: ")]);
        let list = "{\"Type\": \"AWS::X\", \"DependsOn\": [\"B\", \"A\"], \"A\": {}}";
        check("a.json", list, ("A", Kind::Resource), &[(0, "{\"Type\": \"AWS::X\", \"DependsOn\": [\"B\", \"")]);
    }

    #[test]
    fn names_of_templates_are_where_functions_use_them() {
        let json =
            "{\"env\": \"[concat(parameters('env'), variables('env'), PARAMETERS('env'), parameters('env2'))]\"}";
        let expected = [
            (0, "{\"env\": \"[concat(parameters('"),
            (0, "{\"env\": \"[concat(parameters('env'), variables('env'), PARAMETERS('"),
        ];
        check("a.json", json, ("env", Kind::Parameter), &expected);
        check("a.json", json, ("env", Kind::Variable), &[(0, "{\"env\": \"[concat(parameters('env'), variables('")]);
        let yaml = "Type: AWS::X\nDescription: Env\nA: !Ref Env\nB: !Sub '${Env}-${Env.Arn}-${!Env}'\nC:\n  Ref: Env\nDependsOn:\n  - Other\n  - Env\n\
                    D: {\"Fn::GetAtt\": [\"Env\", \"Arn\"]}\nE:\n  - Env\nEnv: 1\n";
        let expected = [
            (2, "A: !Ref "),
            (3, "B: !Sub '${"),
            (3, "B: !Sub '${Env}-${"),
            (5, "  Ref: "),
            (8, "  - "),
            (9, "D: {\"Fn::GetAtt\": [\""),
        ];
        check("a.yaml", yaml, ("Env", Kind::Resource), &expected);
        let yaml = "T: AWS::X\nCondition: Is\nA: !If [Is, 1, 2]\nB:\n  Fn::If:\n    - Is\n    - Is\n";
        check("a.yaml", yaml, ("Is", Kind::Condition), &[(1, "Condition: "), (2, "A: !If ["), (5, "    - ")]);
    }

    #[test]
    fn parameters_are_set_in_parameter_files_and_for_modules() {
        let set = |file: &str, text: &str| -> Vec<(usize, usize)> {
            assignments(Path::new(file), &text.into(), "env")
                .into_iter()
                .map(|range| (range.start, range.end))
                .collect()
        };
        let text = "using 'm.bicep'\nparam env = 'env'\n// param env = 1\n";
        assert_eq!(set("a.bicepparam", text), [(22, 25)]);
        let text = "{\"parameters\": {\"env\": {\"value\": \"env\"}}}";
        assert_eq!(set("a.json", text), [(17, 20)]);
        let text = "{\"parameters\": {\"Env\": {\"value\": {\"env\": 1}}}, \"env\": 1}";
        assert_eq!(set("a.json", text), [(17, 20)]);
        assert_eq!(set("a.json", "[{\"ParameterKey\": \"env\", \"ParameterValue\": \"env\"}]"), [(19, 22)]);
        assert_eq!(set("a.json", "{\"Parameters\": {\"env\": \"x\", \"Env\": 1}, \"Tags\": {\"env\": 1}}"), [(17, 20)]);
        assert_eq!(set("a.yaml", "- ParameterKey: env\n  ParameterValue: env\n"), [(16, 19)]);
        let text = "var env = 1\nmodule m 'm.bicep' = if (env) {\n  name: 'x'\n  params: {\n    env: env\n    o: { env: 1 }\n  }\n}\n\
                    module n 'n.bicep' = {\n  params: { env: 1 }\n}\n";
        let path = text.find("m.bicep").unwrap();
        let found = arguments(text, std::slice::from_ref(&(path..path + 7)), "env");
        assert_eq!(found.iter().map(|range| range.start).collect::<Vec<_>>(), [text.find("env: env").unwrap()]);
    }
}
