//! Matches the resources of a compiled template with their declarations.
//!
//! With language version 2, resources have the symbolic names of their declarations. Without it, they are an array in
//! the compiler's order (`src/Bicep.Core/Emit/TemplateWriter.cs`): nested resources, innermost first, then other
//! resources, then modules.

use std::collections::VecDeque;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::language::SyntaxTree;
use crate::language::ast::{Declaration, DeclarationKind, Decorator, Expr, ExprKind, For, Resource};
use crate::text::Span;
use crate::value::Value;

/// Type of a module in a template.
const MODULE_TYPE: &str = "microsoft.resources/deployments";

/// Maximum number of candidates that are tried if the expected one does not match because the source is newer than
/// the template. Trying all would take quadratic time.
const SEARCHED: usize = 32;

/// A resource or module of a file.
#[derive(Debug)]
pub(super) struct Site {
    declared: Declared,
    /// Symbolic name in the template. The name of a nested resource is `grandparent::parent::name`.
    symbol: String,
    /// Lowercase type in the template.
    full_type: String,
    is_nested: bool,
}

#[derive(Debug)]
enum Declared {
    Resource(Arc<Resource>),
    /// Index of the declaration in the tree.
    Module(usize),
}

/// Source of a resource or module.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteSource<'a> {
    pub(super) span: Span,
    pub(super) name: &'a str,
    /// Span of the type of a resource, or of the path of a module, with its quotes.
    pub(super) target: Span,
    /// Text of the target.
    pub(super) target_text: &'a str,
    pub(super) value: &'a Expr,
    pub(super) decorators: &'a [Decorator],
    pub(super) is_module: bool,
}

impl<'a> SiteSource<'a> {
    fn resource(resource: &'a Resource) -> Self {
        Self {
            span: resource.span,
            name: &resource.name.text,
            target: resource.ty.span,
            target_text: resource.ty.literal().unwrap_or_default(),
            value: &resource.body,
            decorators: &resource.decorators,
            is_module: false,
        }
    }

    fn module(declaration: &'a Declaration) -> Option<Self> {
        let DeclarationKind::Module(module) = &declaration.kind else { return None };
        Some(Self {
            span: declaration.span,
            name: &module.name.text,
            target: module.path.span,
            target_text: module.path.literal().unwrap_or_default(),
            value: &module.body,
            decorators: &declaration.decorators,
            is_module: true,
        })
    }

    /// Returns the loop around the body.
    pub(super) fn iteration(self) -> Option<&'a For> {
        match &self.value.kind {
            ExprKind::For(iteration) => Some(iteration),
            _ => None,
        }
    }

    /// Returns the test of the `if` around the body.
    pub(super) fn condition(self) -> Option<&'a Expr> {
        let value = self.iteration().map_or(self.value, |iteration| &iteration.body);
        match &value.kind {
            ExprKind::If(inner) => Some(&inner.0),
            _ => None,
        }
    }
}

impl Site {
    /// Returns the source of the site, which belongs to `tree`.
    pub(super) fn written<'a>(&'a self, tree: &'a SyntaxTree) -> Option<SiteSource<'a>> {
        match &self.declared {
            Declared::Resource(resource) => Some(SiteSource::resource(resource)),
            Declared::Module(at) => tree.declarations.get(*at).and_then(SiteSource::module),
        }
    }

    fn is_existing(&self) -> bool {
        matches!(&self.declared, Declared::Resource(resource) if resource.is_existing)
    }
}

/// Index of a [`Site`] in [`Sites`].
pub(super) type SiteId = usize;

/// Resources and modules of a file, and their positions in its template.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// All sites. Nested resources come before those around them.
    all: Vec<Site>,
    by_symbol: HashMap<Box<str>, SiteId>,
    listed: Vec<Option<SiteId>>,
}

impl Sites {
    /// Matches the declarations in a file with the `resources` of its template.
    pub(super) fn new(tree: &SyntaxTree, resources: Option<&Value>) -> Self {
        let mut sites = Self::default();
        for (at, declaration) in tree.declarations.iter().enumerate() {
            match &declaration.kind {
                DeclarationKind::Resource(resource) => sites.add(resource, None),
                DeclarationKind::Module(module) => sites.all.push(Site {
                    declared: Declared::Module(at),
                    symbol: module.name.text.to_string(),
                    full_type: MODULE_TYPE.to_owned(),
                    is_nested: false,
                }),
                _ => {}
            }
        }
        if let Some(list) = resources.and_then(Value::as_array) {
            sites.listed = sites.match_list(tree, list);
        } else {
            let symbols = sites.all.iter().enumerate();
            sites.by_symbol = symbols.map(|(id, site)| (site.symbol.as_str().into(), id)).collect();
        }
        sites
    }

    /// Adds a resource after those nested in it. `parent` is the symbol and the type of the resource around it.
    fn add(&mut self, resource: &Arc<Resource>, parent: Option<(&str, &str)>) {
        let target = resource.ty.literal().unwrap_or_default();
        let own = target.split_once('@').map_or(target, |(name, _)| name);
        // Drops a namespace such as `az:`.
        let own = own.rsplit_once(':').map_or(own, |(_, name)| name).to_ascii_lowercase();
        let full_type = match parent.filter(|_| !own.contains('/')) {
            Some((_, ty)) => format!("{ty}/{own}"),
            None => own,
        };
        let name = &resource.name.text;
        let symbol = parent.map_or_else(|| name.to_string(), |(outer, _)| format!("{outer}::{name}"));
        for nested in resource.nested() {
            self.add(nested, Some((&symbol, &full_type)));
        }
        let declared = Declared::Resource(Arc::clone(resource));
        self.all.push(Site { declared, symbol, full_type, is_nested: parent.is_some() });
    }

    /// Returns the site of `resources/<step>`, or `None` if there is no match.
    pub(super) fn get(&self, step: &str) -> Option<(SiteId, &Site)> {
        let by_symbol = self.by_symbol.get(step).copied();
        let id = by_symbol.or_else(|| *self.listed.get(step.parse::<usize>().ok()?)?)?;
        Some((id, self.all.get(id)?))
    }

    /// Iterates over all matched sites, each with its step in `resources`.
    pub(super) fn iter(&self) -> impl Iterator<Item = (String, SiteId, &Site)> {
        let named = self.by_symbol.iter().map(|(symbol, &id)| (symbol.to_string(), id));
        let listed = self.listed.iter().enumerate().filter_map(|(at, id)| Some((at.to_string(), (*id)?)));
        named.chain(listed).filter_map(|(step, id)| Some((step, id, self.all.get(id)?)))
    }

    /// Returns the deployed sites, in the compiler's order.
    fn in_order(&self) -> Vec<SiteId> {
        let mut deployed: Vec<_> = self.all.iter().enumerate().filter(|(_, site)| !site.is_existing()).collect();
        deployed.sort_by_key(|(_, site)| match (&site.declared, site.is_nested) {
            (Declared::Resource(_), true) => 0,
            (Declared::Resource(_), false) => 1,
            _ => 2,
        });
        deployed.into_iter().map(|(id, _)| id).collect()
    }

    /// Matches an array of resources with the sites, by position, type, and loop. An item without a match is `None`.
    fn match_list(&self, tree: &SyntaxTree, list: &[Value]) -> Vec<Option<SiteId>> {
        let order = self.in_order();
        let mut waiting: HashMap<&str, VecDeque<SiteId>> = HashMap::default();
        for &id in &order {
            if let Some(site) = self.all.get(id) {
                waiting.entry(&site.full_type).or_default().push_back(id);
            }
        }
        let mut taken = HashSet::default();
        let mut matched = Vec::with_capacity(list.len());
        for (at, resource) in list.iter().enumerate() {
            let type_name = resource.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
            let fits = |id: SiteId| self.all.get(id).is_some_and(|site| has_same_loop(site, tree, resource));
            let same_position = order.get(at).copied();
            let same_position =
                same_position.filter(|&id| self.all.get(id).is_some_and(|site| site.full_type == type_name));
            let expected = same_position.filter(|&id| !taken.contains(&id) && fits(id));
            let found = expected.or_else(|| {
                let queue = waiting.get_mut(type_name.as_str())?;
                while queue.front().is_some_and(|id| taken.contains(id)) {
                    queue.pop_front();
                }
                queue.iter().take(SEARCHED).copied().find(|&id| !taken.contains(&id) && fits(id))
            });
            taken.extend(found);
            matched.push(found);
        }
        matched
    }
}

/// True if both or neither are in a loop. The loop of a resource that is not nested has the name of its declaration.
fn has_same_loop(site: &Site, tree: &SyntaxTree, resource: &Value) -> bool {
    let Some(written) = site.written(tree) else { return false };
    let name = resource.get("copy").and_then(|copy| copy.get("name")?.as_str());
    match name {
        Some(name) => written.iteration().is_some() && (name == written.name || site.is_nested),
        None => written.iteration().is_none(),
    }
}
