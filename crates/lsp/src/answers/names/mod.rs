//! Where a text uses what it declares.

use std::ops::Range;
use std::path::Path;

use crate::outline::{Kind, is_of_aws};

mod bicep;
mod functions;
mod json;

/// Where a file uses a name that a declaration of this kind has.
pub(super) fn uses(path: &Path, text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicep") => bicep::uses(text, name),
        _ if is_of_aws(text) => functions::uses(text, name, kind),
        _ => json::uses(text, name, kind),
    }
}

/// Where a parameter file sets a parameter.
pub(super) fn assignments(path: &Path, text: &str, name: &str) -> Vec<Range<usize>> {
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("bicepparam") => bicep::assignments(text, name),
        _ => json::keys(text, name),
    }
}

/// Where a Bicep file passes an argument of this name to the module whose path is written at `path`.
pub(super) fn arguments(text: &str, path: &Range<usize>, name: &str) -> Vec<Range<usize>> {
    bicep::arguments(text, path, name)
}

/// What the text before a name says that it is the name of.
pub(super) fn kind_before(text: &str, start: usize) -> Option<Kind> {
    let before = text.get(..start)?.trim_end_matches(['\'', ' ']);
    let calls = [("parameters(", Kind::Parameter), ("variables(", Kind::Variable)];
    calls.into_iter().find(|(call, _)| ends_with(before, call)).map(|(_, kind)| kind)
}

/// Whether a text ends with another one, in any case.
fn ends_with(text: &str, end: &str) -> bool {
    text.len().checked_sub(end.len()).and_then(|at| text.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// Where a name stands alone in a text, in this case or any.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(name).map(|(at, found)| at..at + found.len());
    found.filter(move |range| {
        let before = text.get(..range.start).and_then(|before| before.chars().next_back());
        let after = text.get(range.end..).and_then(|after| after.chars().next());
        !name.is_empty() && !before.is_some_and(is_part) && !after.is_some_and(is_part)
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
        for broken in ["'${", "'${env", "'''", "/*", "'\\", "}}", "'${'${'", "é'"] {
            uses(Path::new("a.bicep"), broken, "env", Kind::Parameter);
        }
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
            assignments(Path::new(file), text, "env").into_iter().map(|range| (range.start, range.end)).collect()
        };
        let text = "using 'm.bicep'\nparam env = 'env'\n// param env = 1\n";
        assert_eq!(set("a.bicepparam", text), [(22, 25)]);
        let text = "{\"parameters\": {\"env\": {\"value\": \"env\"}}}";
        assert_eq!(set("a.json", text), [(17, 20)]);
        let text = "var env = 1\nmodule m 'm.bicep' = if (env) {\n  name: 'x'\n  params: {\n    env: env\n    o: { env: 1 }\n  }\n}\n\
                    module n 'n.bicep' = {\n  params: { env: 1 }\n}\n";
        let path = text.find("m.bicep").unwrap();
        let found = arguments(text, &(path..path + 7), "env");
        assert_eq!(found.iter().map(|range| range.start).collect::<Vec<_>>(), [text.find("env: env").unwrap()]);
    }
}
