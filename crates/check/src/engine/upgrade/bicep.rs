//! The types in the declarations of a Bicep file, and the texts of their versions.

use crate::bicep::language::SyntaxTree;
use crate::bicep::language::ast::{DeclarationKind, Resource};
use crate::text::Span;

/// The type in a declaration: `'Microsoft.Storage/storageAccounts@2021-09-01'`.
#[derive(Clone, Debug)]
pub(super) struct DeclaredType {
    /// The literal, with its quotes.
    pub(super) literal: Span,
    /// Type with its namespace, without the version.
    pub(super) type_name: String,
    /// Place of the version. A nested resource without a version has that of the resource around it.
    pub(super) version: Span,
    pub(super) is_existing: bool,
}

/// Returns the types of all resources of a file that have a version.
pub(super) fn declared_types(tree: &SyntaxTree) -> Vec<DeclaredType> {
    let mut types = Vec::new();
    for declaration in &tree.declarations {
        if let DeclarationKind::Resource(resource) = &declaration.kind {
            collect(resource, None, &mut types);
        }
    }
    types
}

fn collect(resource: &Resource, around: Option<&DeclaredType>, types: &mut Vec<DeclaredType>) {
    let Some(declared) = declared_type(resource, around) else { return };
    types.push(declared.clone());
    for nested in resource.nested() {
        collect(nested, Some(&declared), types);
    }
}

fn declared_type(resource: &Resource, around: Option<&DeclaredType>) -> Option<DeclaredType> {
    let literal = resource.ty.span;
    let text = resource.ty.literal()?;
    let (own, version) = text.split_once('@').map_or((text, None), |(own, version)| (own, Some(version)));
    let type_name = match around {
        Some(around) => format!("{}/{own}", around.type_name),
        None => own.to_owned(),
    };
    let version = match version {
        Some(version) => {
            // The literal has no escapes if its text is as long as that between its quotes.
            let is_plain = (literal.end - literal.start) as usize == text.len() + 2;
            let end = literal.end.checked_sub(1).filter(|_| is_plain)?;
            Span::new(literal.file, end.checked_sub(u32::try_from(version.len()).ok()?)?, end)
        }
        None => around?.version,
    };
    Some(DeclaredType { literal, type_name, version, is_existing: resource.is_existing })
}
