//! `simplify-json-null`: `json('null')` instead of `null`.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};

declare_checks! {
    pub(super) SIMPLIFY_JSON_NULL = Lint Low "bicep/simplify-json-null" "Bicep.SimplifyJsonNull"
        "`null` should be written as such"
        "`json('null')` is from the time when Bicep had no `null`."
        "Write `null`.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let found = file.exprs.iter().filter(|expr| match file.built_in(expr) {
        Some((name, [argument])) => {
            &*name.text == "json" && argument.literal().is_some_and(|text| text.trim() == "null")
        }
        _ => false,
    });
    found.map(|expr| (expr.span, "write `null`".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn null_in_a_string_of_json_is_found() {
        let text = "var a = json('null')\nvar b = [sys.json(' null ')]\nvar c = json('1')\nvar d = null\n";
        assert_eq!(lines("simplify-json-null", text), [1, 2]);
    }
}
