//! The interface between front ends and rules. Front ends (ARM, CloudFormation) create a [`Document`], which is the
//! only input of rule languages.

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

/// Number of resources that one thread checks in about a millisecond. Below this, using several threads is slower.
const LONG: usize = 100;

/// All resources that one template would create with one set of parameters.
#[derive(Debug)]
pub struct Document {
    /// The file of the root template.
    pub file: FileId,
    /// The root deployment, followed by nested ones in the order of expansion.
    pub deployments: Vec<Deployment>,
    /// All resources, including nested deployments and their resources, in the order of deployment.
    pub resources: Vec<Resource>,
    /// Resources declared as `existing`, in the order of the text. Their bodies are as in the template.
    pub existing: Vec<Resource>,
    /// Resources that other values of the parameters deploy, and resources with all parts that other values reach, each
    /// evaluated as if no parameter had a value. They are only compared with their types.
    pub possible: Vec<Resource>,
    /// Types of resources that expressions name, in the order of the text.
    pub mentioned: Vec<MentionedType>,
    /// The files of the linked templates that are included completely.
    pub linked: Vec<FileId>,
    /// Secrets that reports must not show.
    pub hidden: Hidden,
}

impl Document {
    /// Returns whether there are enough resources to use several threads.
    pub fn is_long(&self) -> bool {
        self.resources.len() > LONG
    }

    /// Marks all values at hidden literals as secret.
    pub fn mark_hidden(&mut self) {
        let hidden = &self.hidden;
        for resource in &mut self.resources {
            resource.body = hidden.marked(&resource.body);
            resource.state = hidden.marked(&resource.state);
            for implied in &mut resource.implied {
                *implied = hidden.marked(implied);
            }
        }
        for deployment in &mut self.deployments {
            deployment.template = hidden.marked(&deployment.template);
            deployment.outputs = hidden.marked(&deployment.outputs);
            deployment.settings = hidden.marked(&deployment.settings);
            deployment.written = hidden.marked(&deployment.written);
        }
    }

    /// Returns a resource of this document.
    #[expect(clippy::indexing_slicing, reason = "ids are indexes that the front end made for this document")]
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0]
    }

    /// Returns the surrounding resource of another one: its parent, or the nested deployment that declares it.
    pub fn around(&self, id: ResourceId) -> Option<ResourceId> {
        let resource = self.resource(id);
        resource.parent.or_else(|| self.deployment(resource.deployment).resource)
    }

    /// Returns a deployment of this document.
    #[expect(clippy::indexing_slicing, reason = "ids are indexes that the front end made for this document")]
    pub fn deployment(&self, id: DeploymentId) -> &Deployment {
        &self.deployments[id.0]
    }
}

/// A type of resources that an expression names, such as the first argument of `resourceId()`.
#[derive(Clone, Debug)]
pub struct MentionedType {
    /// Full name of the type, as it is written.
    pub name: Str,
    /// The function whose argument it is.
    pub function: &'static str,
    /// Path of the template in the file.
    pub path: String,
    /// The text of the call.
    pub span: Span,
}

/// A template of a [`Document`]: the root, or one nested in a resource of type `Microsoft.Resources/deployments`.
#[derive(Debug)]
pub struct Deployment {
    /// The name of the deployment or the stack.
    pub name: Str,
    /// The resource ID of the deployment.
    pub id: Str,
    /// The ID of the target scope, for example of a resource group. `/` for a tenant.
    pub scope: Str,
    /// The resource that contains the deployment. `None` for the root.
    pub resource: Option<ResourceId>,
    /// Path of the template in the file. Empty for the root, otherwise for example
    /// `resources[0].properties.template`.
    pub path: String,
    /// The template with evaluated parameters, variables, and outputs, but without `resources`, which are in
    /// [`Deployment::resources`].
    pub template: Value,
    /// The value of each declared parameter. `null` if the parameters are those of the surrounding deployment.
    pub parameters: Value,
    /// The resources that `resources` would create, in the order of the text, without nested children.
    pub resources: Vec<ResourceId>,
    /// The outputs that would be returned, as an object of `{"type", "value"}`.
    pub outputs: Value,
    /// Further settings of the deployment: its mode, secrets that its parameters refer to, and macros. Names and
    /// nesting are those of the template. Settings with the default value are omitted.
    pub settings: Value,
    /// The template before its functions were evaluated, but after transforms, as cfn-guard reads it. `null` if it is
    /// not needed.
    pub written: Value,
}

/// The certainty that a resource would be deployed.
#[derive(Clone, Debug)]
pub enum Presence {
    /// The resource would be deployed.
    Deployed,
    /// This depends on a condition that is not known before a deployment. The resource is checked as if it were
    /// deployed: otherwise, a template could choose what is checked.
    Maybe(Doubt),
}

impl Presence {
    /// Returns the reason for which it is not certain that the resource is deployed. `None` if it is certain.
    pub fn doubt(&self) -> Option<&Doubt> {
        match self {
            Self::Deployed => None,
            Self::Maybe(doubt) => Some(doubt),
        }
    }

    /// True if both resources are deployed under some value of what is not known: at most one condition decides about
    /// both.
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
    /// Reason for which the result is unknown.
    pub unknown: Arc<Unknown>,
    /// The condition. `None` if there is none to name, as for a loop over an unknown list.
    pub condition: Option<Condition>,
}

/// A condition as its author wrote it. Two of one text are the same, wherever they are written.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The name of the condition, or the text of its expression.
    pub text: Str,
    /// Span of the expression; `None` for a condition that is known by its name.
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

/// A resource that would be deployed. Resources whose condition is false are not in the [`Document`].
#[derive(Debug)]
pub struct Resource {
    /// Fully qualified type, such as `Microsoft.Sql/servers/databases`.
    pub type_name: Str,
    /// Full name, such as `server/database`. Unknown parts are approximated. The body has the exact name.
    pub name: Str,
    /// Resource ID. Unknown parts are approximated.
    pub id: Str,
    /// The ID of the scope that the resource is deployed to.
    pub scope: Str,
    /// The evaluated properties in the template, in order. Type and name are fully qualified. `condition`, `copy`,
    /// and child `resources` are removed. Literal nulls are kept, computed ones are removed.
    pub body: Value,
    /// The body with the known runtime properties that Azure adds. It is the state after a deployment, whereas
    /// [`Resource::body`] has only properties of the template.
    pub state: Value,
    /// Path of the resource in the file: `resources[0]`, `resources.symbol`, or `resources[0].resources[1]`, after
    /// the path of its deployment. Iterations of one loop have the same path.
    pub path: String,
    /// The text of the resource.
    pub span: Span,
    /// The name of the resource in a `resources` object.
    pub symbolic_name: Option<Str>,
    /// The deployment that declares the resource.
    pub deployment: DeploymentId,
    /// The parent resource, or the nearest ancestor that is in the document.
    pub parent: Option<ResourceId>,
    /// The child resources in the order of the text.
    pub children: Vec<ResourceId>,
    /// Children that Azure creates with the resource, such as the `web` configuration of a site, complete and with
    /// IDs. Rules do not see them.
    pub implied: Vec<Value>,
    /// The resources of the document that the resource depends on.
    pub depends_on: Vec<ResourceId>,
    /// The certainty that the resource would be deployed.
    pub presence: Presence,
}
