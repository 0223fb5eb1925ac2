//! `no-explicit-any`: declarations of the type `any`.

use crate::compiler::linter::file::{File, Found};
use crate::language::ast::{TypeExpr, TypeKind};

pub(super) fn find(file: &File<'_>) -> Vec<Found> {
    let is_built_in = |name: &str| !file.model.symbols.contains_key(name);
    let is_any = |ty: &&&TypeExpr| match &ty.kind {
        TypeKind::Name(name) => &*name.text == "any" && is_built_in("any"),
        TypeKind::Property { base, name } => {
            let is_system = matches!(&base.kind, TypeKind::Name(base) if &*base.text == "sys");
            &*name.text == "any" && is_system && is_built_in("sys")
        }
        _ => false,
    };
    let message = "declare what the value is; of `any`, nothing is checked";
    file.type_exprs.iter().filter(is_any).map(|ty| (ty.span, message.to_owned())).collect()
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
