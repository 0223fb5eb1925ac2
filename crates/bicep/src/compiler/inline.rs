//! Decides which variables and existing resources are inlined: left out of the template, and written out where they
//! are used, because they read values that only a deployment knows.

use foldhash::HashMap;

use crate::compiler::emitter::Settings;
use crate::compiler::functions;
use crate::compiler::model::{Model, ResourceId, ResourceInfo, Symbol};
use crate::language::ast::{Expr, ExprKind, Item};
use crate::language::walk::each_child;

/// Maximum depth of the analysis, through variables and expressions.
const MAX_DEPTH: u32 = 2_000;

/// A declaration that may be inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum InlineCandidate {
    Variable(usize),
    Resource(ResourceId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Keep,
    Inline,
    /// Keep, unless another part demands inlining.
    Skip,
}

struct InlineAnalysis<'a> {
    model: &'a Model<'a>,
    decisions: HashMap<InlineCandidate, Decision>,
    current: Option<InlineCandidate>,
    locals: Vec<&'a str>,
    depth: u32,
}

/// Decides for all variables and resources of a file.
pub(super) fn decide(model: &Model<'_>, settings: &mut Settings) {
    let mut search =
        InlineAnalysis { model, decisions: HashMap::default(), current: None, locals: Vec::new(), depth: 0 };
    for at in 0..model.variables.len() {
        search.variable(at);
    }
    for id in 0..model.resources.len() {
        search.resource(id);
    }
    for (subject, decision) in search.decisions {
        match (subject, decision) {
            (InlineCandidate::Variable(at), Decision::Inline) => drop(settings.inlined.insert(at)),
            (InlineCandidate::Resource(id), Decision::Inline) => drop(settings.inlined_resources.insert(id)),
            _ => {}
        }
    }
}

impl<'a> InlineAnalysis<'a> {
    fn variable(&mut self, at: usize) {
        let subject = InlineCandidate::Variable(at);
        let Some(value) = self.model.variables.get(at).and_then(|variable| variable.value) else { return };
        if self.decisions.contains_key(&subject) {
            return;
        }
        self.within(subject, |search| search.visit(value));
    }

    /// Decides for one candidate by visiting its expressions.
    fn within(&mut self, subject: InlineCandidate, visit: impl FnOnce(&mut Self)) {
        self.decisions.insert(subject, Decision::Keep);
        let outer = self.current.replace(subject);
        let locals = std::mem::take(&mut self.locals);
        visit(self);
        self.current = outer;
        self.locals = locals;
    }

    fn resource(&mut self, id: ResourceId) {
        let subject = InlineCandidate::Resource(id);
        let Some(resource) = self.model.resources.get(id) else { return };
        if self.decisions.contains_key(&subject) {
            return;
        }
        if !resource.declaration.is_existing || !resource.is_azure() {
            self.decisions.insert(subject, Decision::Skip);
            return;
        }
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        // A cycle back to here ignores this resource; it is reported elsewhere.
        self.decisions.insert(subject, Decision::Keep);
        self.existing(id, resource);
        self.depth -= 1;
    }

    /// Decides for an existing resource.
    fn existing(&mut self, id: ResourceId, resource: &'a ResourceInfo<'a>) {
        let subject = InlineCandidate::Resource(id);
        let mut has_inlined = false;
        let lineage = self.model.lineage(id);
        for ancestor in lineage.iter().take(lineage.len().saturating_sub(1)) {
            self.resource(*ancestor);
            let is_existing = self.model.resources.get(*ancestor).is_some_and(|other| other.declaration.is_existing);
            has_inlined = is_existing && (has_inlined || self.is_inlined(InlineCandidate::Resource(*ancestor)));
        }
        let scope = resource.body.get("scope").map(|scope| match &scope.bare().kind {
            ExprKind::Index { base, .. } => base,
            _ => scope,
        });
        if let Some(target) = scope.and_then(|scope| self.model.resource_named(scope)) {
            self.resource(target);
            has_inlined |= self.is_inlined(InlineCandidate::Resource(target));
        }
        if has_inlined {
            self.decisions.insert(subject, Decision::Inline);
            return;
        }
        self.within(subject, |search| {
            for item in resource.body.items {
                if let Item::Property(property) = item
                    && !matches!(property.name(), Some("dependsOn" | "parent" | "scope"))
                {
                    search.visit(&property.value);
                }
            }
        });
    }

    fn is_inlined(&self, subject: InlineCandidate) -> bool {
        self.decisions.get(&subject) == Some(&Decision::Inline)
    }

    fn decision(&self) -> Decision {
        let current = self.current.and_then(|current| self.decisions.get(&current));
        current.copied().unwrap_or(Decision::Keep)
    }

    fn set(&mut self, decision: Decision) {
        if let Some(current) = self.current {
            self.decisions.insert(current, decision);
        }
    }

    fn visit(&mut self, expr: &'a Expr) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        self.visit_one(expr);
        self.depth -= 1;
    }

    fn visit_one(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Variable(name) => self.name(&name.text),
            ExprKind::Nested { .. } => {
                if self.decision() == Decision::Keep {
                    self.set(Decision::Inline);
                }
            }
            ExprKind::Property { base, name, .. } => self.property(base, &name.text),
            ExprKind::Call { name, arguments } => self.call(&name.text, None, arguments),
            ExprKind::Method { base, name, arguments } => self.call(&name.text, Some(base), arguments),
            ExprKind::For(inner) => {
                self.visit(&inner.source);
                let names = [Some(&inner.item), inner.index.as_ref()].into_iter().flatten();
                self.with_locals(names.map(|name| &*name.text).collect(), &inner.body);
            }
            ExprKind::Lambda { parameters, body } => {
                self.with_locals(parameters.iter().map(|name| &*name.text).collect(), body);
            }
            _ => each_child(expr, &mut |child| self.visit(child)),
        }
    }

    fn with_locals(&mut self, names: Vec<&'a str>, body: &'a Expr) {
        let known = self.locals.len();
        self.locals.extend(names);
        self.visit(body);
        self.locals.truncate(known);
    }

    fn name(&mut self, name: &str) {
        if self.decision() == Decision::Inline || self.locals.contains(&name) {
            return;
        }
        match self.model.symbols.get(name) {
            Some(Symbol::Variable(at)) => {
                self.variable(*at);
                let inlined = self.is_inlined(InlineCandidate::Variable(*at));
                self.set(if inlined { Decision::Inline } else { Decision::Keep });
            }
            Some(Symbol::Resource(_) | Symbol::Module(_)) if self.decision() != Decision::Skip => {
                self.set(Decision::Inline);
            }
            _ => {}
        }
    }

    fn property(&mut self, base: &'a Expr, name: &str) {
        if self.decision() == Decision::Inline {
            return;
        }
        let mut inner = base;
        while let ExprKind::NonNull(next) = &inner.kind {
            inner = next;
        }
        while let ExprKind::Index { base, .. } = &inner.kind {
            inner = base;
        }
        let is_local = matches!(&inner.kind, ExprKind::Variable(own) if self.locals.contains(&&*own.text));
        if !is_local && let Some(id) = self.model.resource_named(inner) {
            let is_azure = self.model.resources.get(id).is_some_and(ResourceInfo::is_azure);
            let is_kept = match name {
                "id" | "name" if is_azure => {
                    self.resource(id);
                    !self.is_inlined(InlineCandidate::Resource(id))
                }
                "id" | "name" | "type" | "apiVersion" => true,
                _ => false,
            };
            return self.set(if is_kept { Decision::Skip } else { Decision::Inline });
        }
        if let ExprKind::Variable(module) = &inner.kind
            && !is_local
            && let Some(Symbol::Module(_)) = self.model.symbols.get(&*module.text)
        {
            return self.set(if name == "name" { Decision::Skip } else { Decision::Inline });
        }
        self.visit(base);
    }

    fn call(&mut self, name: &str, base: Option<&'a Expr>, arguments: &'a [Expr]) {
        let is_declared = base.is_none() && self.model.symbols.contains_key(name);
        if self.decision() != Decision::Inline && !is_declared && functions::find(name, None).is_some() {
            let inlined = functions::requires_inlining(name);
            self.set(if inlined { Decision::Inline } else { Decision::Keep });
        }
        if !is_declared && name == "nameof" {
            return;
        }
        if let Some(base) = base {
            self.visit(base);
        }
        for argument in arguments {
            self.visit(argument);
        }
    }
}
