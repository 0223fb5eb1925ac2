//! Built-in checks: problems of a deployment that need no rule file, such as a secret in an output.
//!
//! Each crate declares its checks beside the code that finds them, with [`declare_checks!`](crate::declare_checks).
//! [`CheckTable`] joins the lists of several crates.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::diagnostic::{Code, Pillar, RuleDetails, RuleInfo, Severity};

/// A check that runs while a deployment is expanded. Reports and settings treat it like a rule. Two checks are equal if
/// their IDs are.
#[derive(Clone, Copy)]
pub struct Check(&'static CheckDeclaration);

/// The subject of a check, by which runs and reports treat its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckKind {
    /// The structure of a template. Its findings hold whatever is deployed.
    Template,
    /// Expressions, and the grammar of texts inside a template. Its findings hold whatever is deployed.
    Expression,
    /// Declarations that nothing uses.
    Unused,
    /// Secrets that others can read. The findings are about security; those of all other checks are about correctness.
    Secret,
    /// The types that Azure or AWS publishes.
    Schema,
    /// Facts of services, which their types do not contain.
    Service,
    /// Results of Azure policies.
    Policy,
    /// Rules of Bicep's linter.
    Lint,
    /// Suppressions. Their own findings cannot be suppressed.
    Suppression,
    /// Other problems of a deployment.
    Deployment,
}

/// The meaning of a finding for an editor, which draws the text differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTag {
    /// Text without an effect.
    Unnecessary,
    /// Text that was right once.
    Deprecated,
}

/// A documentation page of a vendor.
#[derive(Clone, Copy, Debug)]
enum VendorPage {
    /// Path below the documentation of Resource Manager.
    Azure(&'static str),
    /// Path below the documentation of AWS, without the extension.
    Aws(&'static str),
}

/// The data of a check. [`declare_checks!`](crate::declare_checks) creates them from its rows.
#[derive(Debug)]
pub struct CheckDeclaration {
    id: &'static str,
    name: &'static str,
    kind: CheckKind,
    severity: Severity,
    /// The requirement, the reason, and the recommended fix.
    texts: [&'static str; 3],
    /// The code of the errors that the check represents.
    code: Option<Code>,
    is_refusal: bool,
    is_of_platform: bool,
    tag: Option<TextTag>,
    page: Option<VendorPage>,
}

/// The builder that the properties of a row call. Each property is the method of the same name.
impl CheckDeclaration {
    /// Creates the data of a check. The ID is `subject/problem`, and never changes after its release.
    pub const fn new(
        kind: CheckKind,
        severity: Severity,
        (id, name): (&'static str, &'static str),
        texts: [&'static str; 3],
    ) -> Self {
        let tag = match kind {
            CheckKind::Unused => Some(TextTag::Unnecessary),
            _ => None,
        };
        let (is_refusal, is_of_platform) = (false, false);
        Self { id, name, kind, severity, texts, code: None, is_refusal, is_of_platform, tag, page: None }
    }

    /// Marks a check that represents errors with this code, whose ID is the same: a part of a template could not be
    /// evaluated.
    #[must_use]
    pub const fn code(self, code: Code) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Marks a check whose findings make the platform reject the deployment. Other checks are advice.
    #[must_use]
    pub const fn refused(self) -> Self {
        Self { is_refusal: true, ..self }
    }

    /// Marks a check of values that the platform rejects whatever else a resource has.
    #[must_use]
    pub const fn platform(self) -> Self {
        Self { is_of_platform: true, ..self }
    }

    /// Sets the meaning for an editor.
    #[must_use]
    pub const fn tag(self, tag: TextTag) -> Self {
        Self { tag: Some(tag), ..self }
    }

    /// Sets the page about the subject in the documentation of Resource Manager. A check of both clouds has no page,
    /// because findings of one must not link to the documentation of the other.
    #[must_use]
    pub const fn azure(self, page: &'static str) -> Self {
        Self { page: Some(VendorPage::Azure(page)), ..self }
    }

    /// Sets the page about the subject in the documentation of AWS, without its extension.
    #[must_use]
    pub const fn aws(self, page: &'static str) -> Self {
        Self { page: Some(VendorPage::Aws(page)), ..self }
    }
}

impl Check {
    /// Creates the handle of a declared check.
    pub const fn new(declaration: &'static CheckDeclaration) -> Self {
        Self(declaration)
    }

    /// Returns the ID in reports and settings, `subject/problem`.
    pub const fn id(self) -> &'static str {
        self.0.id
    }

    /// Returns the subject.
    pub const fn kind(self) -> CheckKind {
        self.0.kind
    }

    /// Returns the severity if the settings do not change it.
    pub const fn severity(self) -> Severity {
        self.0.severity
    }

    /// Returns the code of the errors that the check represents: problems that prevent the evaluation of a part of a
    /// template. Rules see only the rest, so such a check runs unless its ID is excluded.
    pub const fn code(self) -> Option<Code> {
        self.0.code
    }

    /// Returns `true` if the check represents errors that prevent the evaluation of a part of a template.
    pub const fn is_of_problems(self) -> bool {
        self.0.code.is_some()
    }

    /// Returns `true` if a deployment that fails the check would be rejected. Other checks are advice.
    pub const fn is_refusal(self) -> bool {
        self.0.is_refusal || self.is_of_problems()
    }

    /// Returns `true` if the check reports values that the platform would reject whatever else a resource has. It runs
    /// without the built-in rules as well. Missing properties, names, and facts of services need them.
    pub const fn is_of_platform(self) -> bool {
        self.0.is_of_platform || self.is_refusal()
    }

    /// Returns the meaning of a finding for an editor.
    pub const fn tag(self) -> Option<TextTag> {
        self.0.tag
    }

    /// Returns the pillar that the check belongs to, for the profiles.
    fn pillar(self) -> Pillar {
        match self.kind() {
            CheckKind::Secret => Pillar::Security,
            CheckKind::Schema | CheckKind::Service => Pillar::Reliability,
            _ if self.is_refusal() => Pillar::Reliability,
            _ => Pillar::Operations,
        }
    }

    /// Returns the texts of the check for reports, with its severity if the settings do not change it.
    pub fn info(self) -> RuleInfo {
        let [summary, why, fix] = self.0.texts;
        RuleInfo {
            id: self.0.id.to_owned(),
            name: self.0.name.to_owned(),
            short_description: summary.to_owned(),
            full_description: why.to_owned(),
            recommendation: Some(fix.to_owned()),
            help_uri: self.0.page.map(VendorPage::uri),
            severity: self.0.severity,
            resource_types: Vec::new(),
            definition: None,
            check: Some(self),
            details: Arc::new(RuleDetails { pillar: Some(self.pillar()), ..RuleDetails::default() }),
        }
    }
}

impl VendorPage {
    fn uri(self) -> String {
        match self {
            Self::Azure(page) => format!("https://learn.microsoft.com/azure/azure-resource-manager/{page}"),
            Self::Aws(page) => format!("https://docs.aws.amazon.com/{page}.html"),
        }
    }
}

impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Check {}

impl Hash for Check {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.id)
    }
}

/// The checks of several crates, sorted by ID.
#[derive(Clone, Debug, Default)]
pub struct CheckTable(Vec<Check>);

impl CheckTable {
    /// Sorts checks.
    pub fn new(checks: impl IntoIterator<Item = Check>) -> Self {
        let mut checks: Vec<Check> = checks.into_iter().collect();
        checks.sort_by_key(|check| check.id());
        Self(checks)
    }

    /// Returns the check with this ID.
    pub fn find(&self, id: &str) -> Option<Check> {
        let index = self.0.binary_search_by(|check| check.id().cmp(id)).ok()?;
        self.0.get(index).copied()
    }

    /// Returns all checks, sorted by ID.
    pub fn iter(&self) -> impl Iterator<Item = Check> + Clone {
        self.0.iter().copied()
    }
}

/// Declares checks, and a list of them if it begins with `pub(crate) const NAME;`.
///
/// A row has a constant, the [kind](CheckKind), the severity, the ID, the name, what should hold, why, and how to fix
/// it. Then come properties, which are the methods of [`CheckDeclaration`].
///
/// # Examples
///
/// ```
/// use formwork_model::declare_checks;
/// use formwork_model::diagnostic::{CheckKind, CheckTable};
///
/// declare_checks! {
///     const CHECKS;
///
///     ROLE_ASSIGNMENT = Deployment High "role/assignment" "Role.Assignment"
///         "The name of a role assignment should be a GUID"
///         "Azure rejects a role assignment with another name."
///         "Compute the name with `guid()`."
///         .refused();
/// }
///
/// let table = CheckTable::new(CHECKS.iter().copied());
/// assert_eq!(table.find("role/assignment"), Some(ROLE_ASSIGNMENT));
/// assert!(ROLE_ASSIGNMENT.is_refusal() && ROLE_ASSIGNMENT.kind() == CheckKind::Deployment);
/// ```
#[macro_export]
macro_rules! declare_checks {
    ($list_vis:vis const $list:ident; $($vis:vis $check:ident = $kind:ident $severity:ident $id:literal $name:literal
        $summary:literal $why:literal $fix:literal $(.$property:ident($($value:expr)?))*;)*) => {
        #[doc = "The checks that this module declares."]
        $list_vis const $list: &[$crate::diagnostic::Check] = &[$($check),*];

        $crate::declare_checks! {
            $($vis $check = $kind $severity $id $name $summary $why $fix $(.$property($($value)?))*;)*
        }
    };
    ($($vis:vis $check:ident = $kind:ident $severity:ident $id:literal $name:literal
        $summary:literal $why:literal $fix:literal $(.$property:ident($($value:expr)?))*;)*) => {$(
        #[doc = $summary]
        $vis const $check: $crate::diagnostic::Check = {
            const DECLARATION: $crate::diagnostic::CheckDeclaration = $crate::diagnostic::CheckDeclaration::new(
                $crate::diagnostic::CheckKind::$kind,
                $crate::diagnostic::Severity::$severity,
                ($id, $name),
                [$summary, $why, $fix],
            )$(.$property($($value)?))*;
            $crate::diagnostic::Check::new(&DECLARATION)
        };
    )*};
}
