//! Duplicate names, and resources that would be the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::model::Symbol;
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::scopes::target_name;
use crate::compiler::semantics::types::Type;
use crate::compiler::units::Content;
use crate::language::ast::{DeclarationKind, Expr, ImportNames, Item, Name};
use crate::text::Span;

impl<'w> Checker<'_, 'w> {
    /// Reports each declaration of a name or resource that is declared more than once.
    pub(super) fn duplicates(self) {
        self.duplicate_names();
        self.duplicate_resources();
        self.duplicate_modules();
    }

    pub(super) fn duplicate_names(self) {
        let (mut names, mut outputs, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for declaration in self.model.declarations {
            match &declaration.kind {
                DeclarationKind::Output { name, .. } => outputs.push(name),
                DeclarationKind::Metadata { name, .. } => others.push(name),
                DeclarationKind::Import(import) => match &import.names {
                    ImportNames::All(name) => names.push(name),
                    ImportNames::Each(each) => names.extend(each.iter().map(|(_, alias)| alias)),
                },
                DeclarationKind::Extension(_) | DeclarationKind::ExtensionConfig { .. } => {}
                _ => names.extend(declaration.name()),
            }
            if let DeclarationKind::Func(function) = &declaration.kind {
                self.each_duplicate("BCP028", function.parameters.iter().map(|(name, _)| name));
            }
        }
        self.each_duplicate("BCP028", names.into_iter());
        self.each_duplicate("BCP145", outputs.into_iter());
        self.each_duplicate("BCP145", others.into_iter());
        self.names_by_case();
        self.repeated_imports();
        for resource in &self.model.resources {
            let children = resource.children.iter().filter_map(|id| self.model.resources.get(*id));
            self.each_duplicate("BCP028", children.map(|child| &child.declaration.name));
        }
    }

    /// Reports names that differ only by case, which Resource Manager treats as equal.
    fn names_by_case(self) {
        let model = self.model;
        for declared in [&model.params, &model.outputs, &model.asserts] {
            self.case_clashes(declared.iter().map(|own| own.name));
        }
        let (mut variables, mut types, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        variables.extend(model.variables.iter().map(|own| own.name));
        types.extend(model.types.iter().map(|own| own.name));
        functions.extend(model.functions.iter().map(|(own, _)| &own.name));
        for (unit, names) in &model.imports {
            let (ImportNames::Each(names), Some(other)) = (names, self.program.model(*unit)) else { continue };
            for (original, alias) in names {
                match other.symbols.get(&*original.text) {
                    Some(Symbol::Variable(_)) => variables.push(alias),
                    Some(Symbol::Type(_)) => types.push(alias),
                    Some(Symbol::Function(_)) => functions.push(alias),
                    _ => {}
                }
            }
        }
        for names in [variables, types, functions] {
            self.case_clashes(names.into_iter());
        }
    }

    /// Reports names that differ only by case. Names that are equal are reported as duplicates.
    pub(super) fn case_clashes<'n>(self, names: impl Iterator<Item = &'n Name>) {
        let mut known: BTreeMap<String, Vec<&Name>> = BTreeMap::new();
        for name in names.filter(|name| !name.text.is_empty()) {
            known.entry(name.text.to_ascii_lowercase()).or_default().push(name);
        }
        for names in known.values().filter(|names| names.len() > 1) {
            let distinct: BTreeSet<&str> = names.iter().map(|name| &*name.text).collect();
            for name in names.iter().filter(|_| distinct.len() == names.len()) {
                let message = format!("`{}` differs from another name only by case; rename one", name.text);
                self.report(name.span, "BCP353", message);
            }
        }
    }

    /// Reports names that a file imports more than once under different names.
    fn repeated_imports(self) {
        let mut known: BTreeMap<(usize, &str), Vec<Span>> = BTreeMap::new();
        for (unit, names) in &self.model.imports {
            let ImportNames::Each(names) = names else { continue };
            for (original, alias) in names {
                known.entry((unit.0, &original.text)).or_default().push(original.span.to(alias.span));
            }
        }
        for ((_, name), spans) in known.iter().filter(|(_, spans)| spans.len() > 1) {
            for span in spans {
                self.report(*span, "BCP362", format!("`{name}` is imported more than once; remove one"));
            }
        }
    }

    pub(super) fn each_duplicate<'n>(self, code: &'static str, names: impl Iterator<Item = &'n Name>) {
        let mut known: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
        for name in names.filter(|name| !name.text.is_empty()) {
            known.entry(&name.text).or_default().push(name.span);
        }
        for (name, spans) in known.iter().filter(|(_, spans)| spans.len() > 1) {
            for span in spans {
                self.report(*span, code, format!("`{name}` is declared more than once; rename it"));
            }
        }
    }

    /// Reports duplicate properties of an object.
    pub(super) fn duplicate_properties(self, items: &'w [Item]) {
        let mut known: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
        for item in items {
            if let Item::Property(property) = item
                && let Some(name) = property.name()
            {
                known.entry(name).or_default().push(property.key.span);
            }
        }
        for (name, spans) in known.iter().filter(|(_, spans)| spans.len() > 1) {
            for span in spans {
                self.report(*span, "BCP025", format!("the property `{name}` is written more than once; remove one"));
            }
        }
    }

    /// Reports resources with the same type, name, and parent. A resource with a condition may be an alternative to
    /// another.
    fn duplicate_resources(self) {
        let mut known: BTreeMap<(String, Option<usize>, String), Vec<Span>> = BTreeMap::new();
        for resource in &self.model.resources {
            let Some(value) = resource.body.get("name") else { continue };
            let parent = resource.parent;
            let is_alone = !resource.declaration.is_existing
                && resource.is_azure()
                && resource.body.condition.is_none()
                && !resource.is_collection()
                && resource.body.get("scope").is_none()
                && parent.is_none_or(|parent| parent.index.is_none());
            if is_alone && let Some(name) = self.literal_name(value) {
                let key = (resource.ty.to_lowercase(), parent.map(|parent| parent.resource), name.to_lowercase());
                known.entry(key).or_default().push(value.span);
            }
        }
        for ((ty, _, name), spans) in known.iter().filter(|(_, spans)| spans.len() > 1) {
            for span in spans {
                let message = format!("another resource of the type `{ty}` has the name `{name}`, too; rename one");
                self.report(*span, "BCP121", message);
            }
        }
    }

    fn duplicate_modules(self) {
        let mut known: BTreeMap<(String, String), Vec<Span>> = BTreeMap::new();
        for module in &self.model.modules {
            let Some(value) = module.body.get("name") else { continue };
            let is_known =
                self.program.units.get(module.unit).is_some_and(|unit| !matches!(unit.content, Content::Unknown));
            let is_alone = is_known && module.body.condition.is_none() && module.body.iteration.is_none();
            if is_alone && let Some(name) = self.literal_name(value) {
                let scope = module.body.get("scope").map(|scope| self.model.unit.slice(scope.span));
                // Without `scope`, a module is deployed to the scope of the file.
                let scope = scope.map_or_else(|| format!("{}()", target_name(self.model.target)), without_blanks);
                known.entry((name.to_lowercase(), scope)).or_default().push(value.span);
            }
        }
        for ((name, _), spans) in known.iter().filter(|(_, spans)| spans.len() > 1) {
            for span in spans {
                self.report(*span, "BCP122", format!("another module has the name `{name}`, too; rename one"));
            }
        }
    }

    /// Returns the constant string of an expression.
    pub(super) fn literal_name(self, value: &'w Expr) -> Option<String> {
        match self.quiet().infer(value, None) {
            Type::Text(Some(text)) => Some(text.to_string()),
            _ => None,
        }
    }
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}
