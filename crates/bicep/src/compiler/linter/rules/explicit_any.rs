//! `no-explicit-any`: declarations of the type `any`.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{TypeExpr, TypeKind};

declare_checks! {
    pub(super) NO_EXPLICIT_ANY = Lint Low "bicep/no-explicit-any" "Bicep.ExplicitAny"
        "A declaration should not have the type `any`"
        "Nothing is checked of a value of the type `any`."
        "Declare what the value is.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let message = "declare what the value is; of `any`, nothing is checked";
    let found = file.type_exprs.iter().filter(|ty| is_any(file, ty));
    found.map(|ty| (ty.span, message.to_owned())).collect()
}

/// True if a type is the built-in `any`.
fn is_any(file: &LintFile<'_>, ty: &TypeExpr) -> bool {
    let symbols = &file.model.symbols;
    match &ty.kind {
        TypeKind::Name(name) => &*name.text == "any" && !symbols.contains_key("any"),
        TypeKind::Property { base, name } => {
            let is_system = matches!(&base.kind, TypeKind::Name(base) if &*base.text == "sys");
            &*name.text == "any" && is_system && !symbols.contains_key("sys")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn any_is_found_wherever_a_type_is_written() {
        let text = "output a any = 1
type b = { c: any[] }
func d(e sys.any) string => ''
output f string = any(1)
";
        assert_eq!(lines("no-explicit-any", text), [1, 2, 3]);
    }
}
