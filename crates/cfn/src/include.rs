//! `AWS::Include`, which puts the members of a file in the place of its call, beside the other members of the object around it.
//!
//! `Location` is a URL of S3 in a deployment. `aws cloudformation package` also takes a relative path, and replaces it by the
//! URL. A path is followed, a URL is not.
//!
//! References: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/transform-aws-include.html>,
//! <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/package.html>.

use crate::model::Loader;
use crate::stack::MACRO;
use crate::text::FileId;
use crate::value::{Data, Member, Value};

/// How many files a template may include, which bounds what they multiply.
const MAX_INCLUDES: usize = 200;

/// A template with the files of the repository that it includes. `None` if there are none.
///
/// An included file cannot include others, as in CloudFormation.
pub(super) fn included(loader: &dyn Loader, file: FileId, template: &Value) -> Option<Value> {
    has_call(template).then(|| Inclusion { loader, file, left: MAX_INCLUDES }.value(template))?
}

/// Whether a value has a call of a transform. Most templates have none, and are not copied.
fn has_call(value: &Value) -> bool {
    let of_member = |member: &Member| *member.key == *MACRO || has_call(&member.value);
    value.as_object().is_some_and(|object| object.iter().any(of_member))
        || value.as_array().is_some_and(|items| items.iter().any(has_call))
}

struct Inclusion<'a> {
    loader: &'a dyn Loader,
    /// The file of the template.
    file: FileId,
    /// How many more files may be included.
    left: usize,
}

impl Inclusion<'_> {
    /// A value with what it includes; `None` if that is nothing.
    fn value(&mut self, value: &Value) -> Option<Value> {
        let data = match &value.data {
            Data::Object(object) => {
                let mut members: Vec<Member> = Vec::new();
                let mut is_changed = false;
                for member in object.iter() {
                    if let Some(included) = self.call(member) {
                        is_changed = true;
                        members.extend(included);
                        continue;
                    }
                    let inner = self.value(&member.value);
                    is_changed |= inner.is_some();
                    members.push(Member { value: inner.unwrap_or_else(|| member.value.clone()), ..member.clone() });
                }
                is_changed.then(|| Value::object(members))?
            }
            Data::Array(_) => {
                let items = value.as_array().unwrap_or_default();
                let new: Vec<Option<Value>> = items.iter().map(|item| self.value(item)).collect();
                let is_changed = new.iter().any(Option::is_some);
                let merged = new.into_iter().zip(items).map(|(new, old)| new.unwrap_or_else(|| old.clone()));
                is_changed.then(|| Value::array(merged.collect()))?
            }
            _ => return None,
        };
        Some(Value { span: value.span, ..data.through(value.via.clone()).with_traits(value.traits) })
    }

    /// The members that a call includes, if it is one of a file in the repository.
    fn call(&mut self, member: &Member) -> Option<Vec<Member>> {
        let call = member.value.as_object().filter(|_| *member.key == *MACRO)?;
        let name = call.get_exact("Name").and_then(Value::as_str)?;
        let location = call.get_exact("Parameters")?.as_object()?.get_exact("Location")?.as_str()?;
        if name != "AWS::Include" || location.contains("://") || self.left == 0 {
            return None;
        }
        let linked = self.loader.load(self.file, location).ok()?;
        self.left -= 1;
        Some(linked.value.as_object()?.iter().cloned().collect())
    }
}
