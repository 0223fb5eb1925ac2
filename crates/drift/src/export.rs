//! Reads the resources that exist, as the tools of Azure and AWS write them.
//!
//! - Azure: the body of a GET, or a list of them, as `az resource show`, `az graph query`, `Get-AzResource`, and
//!   `Export-AzRuleData` write it. <https://learn.microsoft.com/rest/api/resources/resources/get-by-id>
//! - AWS: the output of `aws cloudcontrol get-resource` and `list-resources`.
//!   <https://docs.aws.amazon.com/cloudcontrolapi/latest/APIReference/API_GetResource.html>

use arcstr::ArcStr;
use foldhash::HashMap;
use formwork_syntax::json;

use crate::aws_names;
use crate::ids;
use crate::value::{Member, Value};

/// Resources that an export may have.
pub const MAX_RESOURCES: usize = 100_000;

/// Depth of resources in the `resources` of others.
const MAX_DEPTH: usize = 8;

/// Depth of the properties in an export of AWS, which are JSON in a string.
const MAX_NESTING: u32 = 100;

/// A resource that exists.
#[derive(Clone, Debug)]
pub struct LiveResource {
    /// The ID in Azure, or the type and the primary identifier in AWS.
    pub id: String,
    /// Fully qualified type.
    pub type_name: String,
    /// Full name, or the primary identifier in AWS.
    pub name: String,
    /// Everything that the export has of it.
    pub body: Value,
}

impl LiveResource {
    /// True for a resource of AWS.
    pub(crate) fn is_of_aws(&self) -> bool {
        self.type_name.contains("::")
    }

    /// Returns the properties of a resource.
    pub(crate) fn properties(&self) -> Option<&Value> {
        self.body.get("properties")
    }
}

/// Reason why a document is not an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFault {
    /// The document has another form.
    Form,
    /// There are more than [`MAX_RESOURCES`].
    TooMany,
}

/// The resources that exist.
///
/// # Examples
///
/// ```
/// use formwork_drift::Export;
/// use formwork_syntax::json;
///
/// let text = r#"[{"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/shop", "kind": "app"}]"#;
/// let mut export = Export::default();
/// export.add(&json::parse_computed(&text.into(), 64).unwrap()).unwrap();
///
/// let [site] = export.resources() else { panic!() };
/// assert_eq!((site.type_name.as_str(), site.name.as_str()), ("Microsoft.Web/sites", "shop"));
/// ```
#[derive(Debug, Default)]
pub struct Export {
    resources: Vec<LiveResource>,
    /// Positions by ID in lower case.
    by_id: HashMap<String, usize>,
    /// Positions by the part of the ID after its scope, in lower case.
    by_tail: HashMap<String, Vec<usize>>,
    /// Positions by type in lower case.
    by_type: HashMap<String, Vec<usize>>,
    /// Positions in AWS by type, and by names and parts of identifiers.
    by_word: HashMap<(String, String), Vec<usize>>,
    /// Positions in AWS by type and logical ID.
    by_logical_id: HashMap<(String, String), Vec<usize>>,
    /// Number of items that are not resources.
    pub skipped: usize,
}

impl Export {
    /// Adds the resources of a document. A resource that is there already gets the members that it does not have.
    ///
    /// # Errors
    ///
    /// Fails if the document is neither a resource nor a list of resources, or if there are too many.
    pub fn add(&mut self, document: &Value) -> Result<(), ExportFault> {
        let lists = ["value", "data", "resources"];
        let list = document.as_array().or_else(|| {
            let is_single = Self::read_azure(document).is_some();
            lists.iter().filter(|_| !is_single).find_map(|name| document.get(name)?.as_array())
        });
        let mut is_export = list.is_some_and(<[Value]>::is_empty);
        for item in list.unwrap_or(std::slice::from_ref(document)) {
            is_export |= self.item(item)?;
        }
        if is_export { Ok(()) } else { Err(ExportFault::Form) }
    }

    /// Returns the resources in the order of the export.
    pub fn resources(&self) -> &[LiveResource] {
        &self.resources
    }

    pub(crate) fn with_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(&id.to_lowercase()).copied()
    }

    pub(crate) fn with_tail(&self, tail: &str) -> &[usize] {
        self.by_tail.get(&tail.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_type(&self, type_name: &str) -> &[usize] {
        self.by_type.get(&type_name.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// Returns the resources of a type in AWS that have a text as their name or as a part of their identifier.
    pub(crate) fn with_word(&self, type_name: &str, word: &str) -> &[usize] {
        self.by_word.get(&(type_name.to_owned(), word.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Returns the resources that CloudFormation deployed for a logical ID.
    pub(crate) fn with_logical_id(&self, type_name: &str, logical_id: &str) -> &[usize] {
        self.by_logical_id.get(&(type_name.to_owned(), logical_id.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Adds an item. Returns `false` if it is not a resource.
    fn item(&mut self, item: &Value) -> Result<bool, ExportFault> {
        if item.get("TypeName").is_some() {
            return self.aws_item(item);
        }
        let Some(resource) = Self::read_azure(item) else {
            self.skipped += 1;
            return Ok(false);
        };
        self.insert(resource)?;
        self.children(item, 0)?;
        Ok(true)
    }

    /// Adds the resources in the `resources` of another one.
    fn children(&mut self, item: &Value, depth: usize) -> Result<(), ExportFault> {
        let children = item.get("resources").and_then(Value::as_array).filter(|_| depth < MAX_DEPTH);
        for child in children.into_iter().flatten() {
            let Some(resource) = Self::read_azure(child) else {
                self.skipped += 1;
                continue;
            };
            self.insert(resource)?;
            self.children(child, depth + 1)?;
        }
        Ok(())
    }

    fn read_azure(item: &Value) -> Option<LiveResource> {
        let id = ["id", "resourceId"].iter().find_map(|name| item.get(name)?.as_str())?;
        let (type_name, name) = ids::type_and_name(id).filter(|_| id.starts_with('/'))?;
        let id = id.strip_suffix('/').unwrap_or(id).to_owned();
        Some(LiveResource { id, type_name, name, body: item.clone() })
    }

    /// Adds the resources of an answer of Cloud Control.
    fn aws_item(&mut self, item: &Value) -> Result<bool, ExportFault> {
        let type_name = item.get("TypeName").and_then(Value::as_str).unwrap_or_default();
        let single = item.get("ResourceDescription").unwrap_or(item);
        let list = item.get("ResourceDescriptions").and_then(Value::as_array);
        let mut has_any = list.is_some_and(<[Value]>::is_empty);
        for description in list.unwrap_or(std::slice::from_ref(single)) {
            match Self::read_aws(type_name, description) {
                Some(resource) => {
                    self.insert(resource)?;
                    has_any = true;
                }
                None => self.skipped += 1,
            }
        }
        Ok(has_any)
    }

    fn read_aws(type_name: &str, description: &Value) -> Option<LiveResource> {
        let name = description.get("Identifier")?.as_str().filter(|_| type_name.contains("::"))?.to_owned();
        let properties = match description.get("Properties")? {
            text if text.as_str().is_some() => json::parse_computed(&ArcStr::from(text.as_str()?), MAX_NESTING).ok()?,
            properties => properties.clone(),
        };
        properties.as_object()?;
        let body = Value::object(vec![Member::new("Properties", properties)]);
        Some(LiveResource { id: format!("{type_name} {name}"), type_name: type_name.to_owned(), name, body })
    }

    fn insert(&mut self, resource: LiveResource) -> Result<(), ExportFault> {
        let key = resource.id.to_lowercase();
        if let Some(known) = self.by_id.get(&key).and_then(|at| self.resources.get_mut(*at)) {
            known.body = joined(&known.body, &resource.body);
            return Ok(());
        }
        if self.resources.len() >= MAX_RESOURCES {
            return Err(ExportFault::TooMany);
        }
        let at = self.resources.len();
        match resource.properties().filter(|_| resource.is_of_aws()) {
            Some(properties) => {
                let type_name = &resource.type_name;
                for word in aws_names::words(type_name, &resource.name, properties) {
                    self.by_word.entry((type_name.clone(), word.to_owned())).or_default().push(at);
                }
                if let Some(logical_id) = aws_names::logical_id(properties) {
                    self.by_logical_id.entry((type_name.clone(), logical_id.to_string())).or_default().push(at);
                }
            }
            None => self.by_tail.entry(ids::split(&resource.id).tail.to_lowercase()).or_default().push(at),
        }
        self.by_type.entry(resource.type_name.to_lowercase()).or_default().push(at);
        self.by_id.insert(key, at);
        self.resources.push(resource);
        Ok(())
    }
}

/// Returns the members of two descriptions of a resource. Those of the second one count if both have a value.
fn joined(first: &Value, second: &Value) -> Value {
    let [old, new] = [first, second].map(|value| value.as_object().into_iter().flatten());
    let mut all: Vec<Member> = old.filter(|old| !is_set(second, &old.key)).cloned().collect();
    all.extend(new.filter(|new| !new.value.is_null() || !is_set(first, &new.key)).cloned());
    Value::object(all)
}

fn is_set(value: &Value, name: &str) -> bool {
    value.get(name).is_some_and(|member| !member.is_null())
}
