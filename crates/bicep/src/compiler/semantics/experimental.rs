//! Syntax that needs an experimental feature of `bicepconfig.json`, and names of extensions.

use crate::compiler::extensions::{BUILT_IN_GRAPH, ExtensionSource};
use crate::compiler::features::Feature;
use crate::compiler::model::Target;
use crate::compiler::semantics::Checker;
use crate::language::ast::{DeclarationKind, TypeExpr, TypeKind};
use crate::language::walk::each_type;
use crate::text::Span;

/// Decorators that need a feature.
const DECORATORS: [(&str, Feature); 2] = [("patch", Feature::Patch), ("waitUntil", Feature::WaitUntil)];

impl Checker<'_, '_> {
    pub(super) fn experimental(self) {
        for declaration in self.model.declarations {
            match &declaration.kind {
                DeclarationKind::Assert { .. } => self.needs(Feature::Assertions, declaration.span, "BCP349"),
                DeclarationKind::Param { ty: Some(ty), .. }
                | DeclarationKind::Output { ty, .. }
                | DeclarationKind::Type { ty, .. } => self.resource_types(ty),
                DeclarationKind::Test(_) => self.needs(Feature::TestFramework, declaration.span, "BCP348"),
                DeclarationKind::TargetScope(value) if self.model.target == Target::Local => {
                    self.needs(Feature::LocalDeploy, value.span, "BCP033");
                    self.needs_cli(Feature::LocalDeploy, value.span);
                }
                _ => {}
            }
        }
        for resource in &self.model.resources {
            if let Some(asserts) = resource.body.get("asserts") {
                self.needs(Feature::Assertions, asserts.span, "BCP349");
            }
            for decorator in &resource.declaration.decorators {
                if let Some((_, feature)) = DECORATORS.iter().find(|(name, _)| *name == &*decorator.name.text) {
                    self.needs(*feature, decorator.name.span, "BCP057");
                }
            }
        }
        self.needs_cli(Feature::ResourceInfoCodegen, Span::new(self.model.file, 0, 0));
        self.extensions();
    }

    /// Reports a feature that is on but not implemented by this compiler.
    fn needs_cli(self, feature: Feature, span: Span) {
        if self.model.features().has(feature) {
            let message = format!("the experimental feature `{}` needs the Bicep CLI: `--bicep cli`", feature.name());
            self.report(span, "", message);
        }
    }

    fn resource_types(self, ty: &TypeExpr) {
        if matches!(ty.kind, TypeKind::Resource(_)) {
            self.needs(Feature::ResourceTypedParamsAndOutputs, ty.span, "BCP231");
        }
        each_type(ty, &mut |inner, _| self.resource_types(inner));
    }

    /// Reports syntax that needs a feature that is off.
    pub(super) fn needs(self, feature: Feature, span: Span, code: &'static str) {
        if !self.model.features().has(feature) {
            let name = feature.name();
            let message = format!(
                "this needs the experimental feature `{name}`: set `experimentalFeaturesEnabled.{name}` in `bicepconfig.json`"
            );
            self.report(span, code, message);
        }
    }

    fn extensions(self) {
        for extension in self.model.extensions.iter().filter(|own| own.source == ExtensionSource::Missing) {
            let specification = &extension.declaration.specification;
            let name = &*specification.text;
            let (code, message) = if name.eq_ignore_ascii_case(BUILT_IN_GRAPH) {
                let way = "name where it is published: `extension 'br:mcr.microsoft.com/bicep/extensions/microsoftgraph/v1.0:1.0.0'`";
                ("BCP407", format!("the extension `{name}` is no longer built in; {way}"))
            } else {
                let way = "declare it in `extensions` of `bicepconfig.json`";
                ("BCP204", format!("there is no extension `{name}`; {way}"))
            };
            self.report(specification.span, code, message);
        }
    }
}
