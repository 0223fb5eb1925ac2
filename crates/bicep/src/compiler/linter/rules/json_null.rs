//! `simplify-json-null`: `null` that is written as `json('null')`.

use crate::compiler::linter::file::{File, Found};

pub(super) fn find(file: &File<'_>) -> Vec<Found> {
    let is_null = |expr: &&&_| match file.built_in(expr) {
        Some((name, [argument])) => {
            &*name.text == "json" && argument.literal().is_some_and(|text| text.trim() == "null")
        }
        _ => false,
    };
    file.exprs.iter().filter(is_null).map(|expr| (expr.span, "write `null`".to_owned())).collect()
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
