//! The interface between front ends and rules: front ends (ARM, CloudFormation) produce a [`Document`], and rule
//! languages read nothing else.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod assumptions;
mod budget;
mod cancellation;
mod expansion;
mod hidden;
mod issue;
mod limits;
mod loader;
mod path;
mod quotas;
mod secret_texts;
mod value_fix;
mod walk;

use std::sync::Arc;

use crate::text::{FileId, Span};
use crate::value::{Str, Unknown, Value};

pub use self::assumptions::Assumptions;
pub use self::budget::{Allotment, BYTES_OF_PATH_PER_STEP, STEPS_OF_REPEATED};
pub use self::budget::{Budget, Exceeded};
pub use self::cancellation::Cancellation;
pub use self::expansion::Expansion;
pub use self::hidden::{Hidden, add_literals, add_secrets, masked};
pub use self::issue::Issue;
pub use self::limits::Limits;
pub use self::loader::Offline;
pub use self::loader::{Certainty, Guess, LinkProblem, Linked, Loader, Located};
pub use self::path::{join_index, join_key, path_at};
pub use self::quotas::Quotas;
pub use self::secret_texts::{Mask, SecretTexts};
pub use self::value_fix::{FixSite, ValueFix};
pub use self::walk::{Cause, Walk};

/// Index of a [`Resource`] in [`Document::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub usize);

/// Index of a [`Deployment`] in [`Document::deployments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeploymentId(pub usize);

/// How many resources one thread checks in about a millisecond. Fewer are not worth waking another.
const LONG: usize = 100;

/// Everything that one template would create with one set of parameters.
#[derive(Debug)]
pub struct Document {
    /// The file of the root template.
    pub file: FileId,
    /// The root deployment first, then nested ones in the order they are entered.
    pub deployments: Vec<Deployment>,
    /// Every resource, nested deployments and their resources included, in the order they would be deployed.
    pub resources: Vec<Resource>,
    /// What it only refers to, in the order of the text: resources that are declared as `existing`. Their bodies are as
    /// the author wrote them.
    pub existing: Vec<Resource>,
    /// The files of the linked templates that are in it in full.
    pub linked: Vec<FileId>,
    /// What reports must not show of it.
    pub hidden: Hidden,
}

impl Document {
    /// Whether threads gain by sharing the work on its resources.
    pub fn is_long(&self) -> bool {
        self.resources.len() > LONG
    }

    /// Marks what is written at hidden literals as secret, wherever the document has it.
    pub fn mark_hidden(&mut self) {
        let hidden = &self.hidden;
        for resource in &mut self.resources {
            resource.body = hidden.marked(&resource.body);
            resource.state = hidden.marked(&resource.state);
        }
        for deployment in &mut self.deployments {
            deployment.template = hidden.marked(&deployment.template);
            deployment.outputs = hidden.marked(&deployment.outputs);
            deployment.settings = hidden.marked(&deployment.settings);
            deployment.written = hidden.marked(&deployment.written);
        }
    }

    /// The resource of an ID that belongs to this document.
    #[expect(clippy::indexing_slicing, reason = "ids are indexes that the front end made for this document")]
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0]
    }

    /// The resource that another one is in: its parent, or the nested deployment that declares it.
    pub fn around(&self, id: ResourceId) -> Option<ResourceId> {
        let resource = self.resource(id);
        resource.parent.or_else(|| self.deployment(resource.deployment).resource)
    }

    /// The deployment of an ID that belongs to this document.
    #[expect(clippy::indexing_slicing, reason = "ids are indexes that the front end made for this document")]
    pub fn deployment(&self, id: DeploymentId) -> &Deployment {
        &self.deployments[id.0]
    }
}

/// One template in a [`Document`]: the root, or one nested in a resource of type `Microsoft.Resources/deployments`.
#[derive(Debug)]
pub struct Deployment {
    /// The name of the deployment or the stack.
    pub name: Str,
    /// The resource ID of the deployment.
    pub id: Str,
    /// The ID of the scope that it deploys to, for example that of a resource group; `/` for a tenant.
    pub scope: Str,
    /// The resource that it is nested in. `None` for the root.
    pub resource: Option<ResourceId>,
    /// Path of the template in the file: empty for the root, else like `resources[0].properties.template`.
    pub path: String,
    /// The template with parameters, variables and outputs evaluated, and without `resources`: those are in
    /// [`Deployment::resources`].
    pub template: Value,
    /// The value of each parameter that the template declares; `null` where its parameters are those of the deployment
    /// around it.
    pub parameters: Value,
    /// The resources that its `resources` would create, in the order of the text; nested children are not among them.
    pub resources: Vec<ResourceId>,
    /// The outputs that would be returned, as an object of `{"type", "value"}`.
    pub outputs: Value,
    /// What else decides what it deploys or deletes: its mode, the secrets that its parameters refer to, macros. Members
    /// are called and nested as the author wrote them, and those with the default value are left out.
    pub settings: Value,
    /// The template before its functions were evaluated, after transforms, or if none are evaluated, as cfn-guard reads it;
    /// `null` where nothing asks for it.
    pub written: Value,
}

/// Whether a resource would be deployed.
#[derive(Clone, Debug)]
pub enum Presence {
    /// The resource would be deployed.
    Deployed,
    /// This depends on a condition that is not known before a deployment. The resource is checked as if it were deployed:
    /// otherwise, a template could choose what is checked.
    Maybe(Doubt),
}

impl Presence {
    /// Why it is not certain that the resource is deployed. `None` if it is.
    pub fn doubt(&self) -> Option<&Doubt> {
        match self {
            Self::Deployed => None,
            Self::Maybe(doubt) => Some(doubt),
        }
    }

    /// True if both resources are deployed under some value of what is not known: at most one condition decides about both.
    pub fn is_compatible(&self, other: &Self) -> bool {
        match (self.doubt(), other.doubt()) {
            (Some(doubt), Some(other)) => doubt.condition.is_some() && doubt.condition == other.condition,
            _ => true,
        }
    }
}

/// A condition of a resource whose result is not known before a deployment.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// Why the result is not known.
    pub unknown: Arc<Unknown>,
    /// The condition. `None` if there is none to name, as for a loop over an unknown list.
    pub condition: Option<Condition>,
}

/// A condition as its author wrote it. Two of one text are the same, wherever they are written.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The name of the condition, or the text of its expression.
    pub text: Str,
    /// Where its expression is written; `None` for a condition that is known by its name.
    pub span: Option<Span>,
    /// The iteration of a loop that it is evaluated in.
    pub iteration: Option<i64>,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.iteration == other.iteration
    }
}

impl Eq for Condition {}

impl From<Arc<Unknown>> for Doubt {
    fn from(unknown: Arc<Unknown>) -> Self {
        Self { unknown, condition: None }
    }
}

impl From<Unknown> for Doubt {
    fn from(unknown: Unknown) -> Self {
        Arc::new(unknown).into()
    }
}

/// One resource that would be deployed. One whose condition is false is not in the [`Document`].
#[derive(Debug)]
pub struct Resource {
    /// Fully qualified type, `Microsoft.Sql/servers/databases`.
    pub type_name: Str,
    /// Full name, `server/database`. Partly unknown names hold an approximation here; the name itself is in the body.
    pub name: Str,
    /// Resource ID, with the same caveat.
    pub id: Str,
    /// The ID of the scope that it is deployed to.
    pub scope: Str,
    /// Everything the author wrote for it, evaluated, in order; type and name fully qualified; without `condition`,
    /// `copy` and child `resources`. Nulls that the author wrote are kept, computed ones are gone.
    pub body: Value,
    /// The body with the runtime properties that Azure adds to it, as far as they are known. It is what the resource will
    /// be, whereas [`Resource::body`] is what the author wrote.
    pub state: Value,
    /// Path of the resource in the file: `resources[0]`, `resources.symbol`, `resources[0].resources[1]`, below the path
    /// of its deployment. Iterations of one loop share it.
    pub path: String,
    /// The text of the resource.
    pub span: Span,
    /// The name that the template gives it in a `resources` object.
    pub symbolic_name: Option<Str>,
    /// The deployment that it is declared in.
    pub deployment: DeploymentId,
    /// The resource that it is a child of. If that is not in the document, the nearest ancestor that is.
    pub parent: Option<ResourceId>,
    /// Its child resources in the order of the text.
    pub children: Vec<ResourceId>,
    /// Children that Azure creates with it, such as the `web` configuration of a site, in full and with their IDs. Rules
    /// do not see them.
    pub implied: Vec<Value>,
    /// The resources that it depends on, as far as they are in the document.
    pub depends_on: Vec<ResourceId>,
    /// Whether it is certain that it would be deployed.
    pub presence: Presence,
}
