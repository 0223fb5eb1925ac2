//! `prefer-interpolation`: strings that `concat` joins.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};

declare_checks! {
    pub(super) PREFER_INTERPOLATION = Lint Low "bicep/prefer-interpolation" "Bicep.PreferInterpolation"
        "A string should be written with interpolations"
        "`'${a}-${b}'` is easier to read than `concat(a, '-', b)`."
        "Write the string with interpolations.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let message = "use a string with interpolations, such as `'${a}-${b}'`, instead of `concat`";
    let found = file.exprs.iter().filter(|expr| {
        let call = file.built_in(expr);
        call.is_some_and(|(name, arguments)| &*name.text == "concat" && arguments.len() > 1) && file.types.is_text(expr)
    });
    found.map(|expr| (expr.span, message.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn strings_that_are_joined_are_found_but_no_arrays() {
        let text = "param a string
param b array
var c = concat(a, 'x')
var d = sys.concat(a, concat(a, a))
var e = concat(b, b)
var f = concat('x')
func g(x string) string => concat(x, x)
param h object
var i = concat(h.x, h.y)
";
        assert_eq!(lines("prefer-interpolation", text), [3, 4, 4, 7]);
    }
}
