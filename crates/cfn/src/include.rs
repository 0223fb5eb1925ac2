//! `AWS::Include`, which puts the members of a file in the place of its call, beside the other members of the object
//! around it.
//!
//! `Location` is a URL of S3 in a deployment. `aws cloudformation package` also takes a relative path, and replaces it
//! by the URL. A path is followed, a URL is not.
//!
//! References: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/transform-aws-include.html>,
//! <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/package.html>.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::model::Loader;
use crate::stack::MACRO;
use crate::text::{FileId, cut};
use crate::value::{Data, Member, Object, Value};
use crate::world::World;

/// Maximum number of files that a template may include. Bounds the growth of the template.
const MAX_INCLUDES: usize = 200;

/// The greatest length of a key in a message, in bytes.
const MAX_KEY: usize = 100;

/// The steps for each value of a file that is included once more. The first time costs no more than its text.
const STEPS_OF_REPEATED_VALUE: usize = 16;

/// The files of the repository that the templates of one expansion include.
#[derive(Debug, Default)]
pub(super) struct Includes {
    /// The templates with what they include, by their files.
    templates: HashMap<FileId, Value>,
    /// The files that were included before.
    files: HashSet<FileId>,
}

impl Includes {
    /// Returns the template in `file` with the files that it includes.
    ///
    /// An included file cannot include others, as in CloudFormation.
    pub(super) fn complete(&mut self, world: &World<'_>, loader: &dyn Loader, file: FileId, template: &Value) -> Value {
        if let Some(known) = self.templates.get(&file) {
            return known.clone();
        }
        let mut inclusion = Inclusion { world, loader, file, files: &mut self.files, left: MAX_INCLUDES };
        // Most templates have no call, and are not copied.
        let with_files = has_call(template).then(|| inclusion.value(template)).flatten();
        let complete = with_files.unwrap_or_else(|| template.clone());
        self.templates.insert(file, complete.clone());
        complete
    }
}

/// Returns `true` if a value contains a call of a transform.
fn has_call(value: &Value) -> bool {
    let of_member = |member: &Member| *member.key == *MACRO || has_call(&member.value);
    value.as_object().is_some_and(|object| object.iter().any(of_member))
        || value.as_array().is_some_and(|items| items.iter().any(has_call))
}

/// Returns the file that a member of an object includes: a path that is relative to the file with the call, or a URL.
pub fn include_location(member: &Member) -> Option<&str> {
    let call = member.value.as_object().filter(|_| *member.key == *MACRO)?;
    call.get_exact("Name")?.as_str().filter(|name| *name == "AWS::Include")?;
    call.get_exact("Parameters")?.as_object()?.get_exact("Location")?.as_str()
}

struct Inclusion<'a> {
    world: &'a World<'a>,
    loader: &'a dyn Loader,
    /// The file of the template.
    file: FileId,
    /// The files that were included before.
    files: &'a mut HashSet<FileId>,
    /// Number of files that may still be included.
    left: usize,
}

impl Inclusion<'_> {
    /// Returns a value with what it includes; `None` if that is nothing.
    fn value(&mut self, value: &Value) -> Option<Value> {
        let data = match &value.data {
            Data::Object(object) => {
                let mut members: Vec<Member> = Vec::new();
                let mut is_changed = false;
                for member in object.iter() {
                    if let Some(included) = self.call(member) {
                        is_changed = true;
                        let free = |member: &&Member| !self.is_written(object, member);
                        members.extend(included.as_object().into_iter().flatten().filter(free).cloned());
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

    /// Returns `true` if an included member is also written in the object with the call. Reports such a member; the
    /// written one overrides it.
    fn is_written(&self, object: &Object, member: &Member) -> bool {
        let Some(written) = object.member(&member.key).filter(|written| written.key == member.key) else {
            return false;
        };
        // That is the call itself; what is included has another.
        if *member.key == *MACRO {
            return false;
        }
        if let Some(span) = member.key_span.filter(|_| self.world.hears_reports()) {
            let key = cut(&member.key, MAX_KEY);
            let message =
                format!("`{key}` is also written beside the call that includes this file, and the value there counts");
            let problem = Diagnostic::new(Code::SyntaxDuplicateKey, span, message);
            let label = written.key_span.map(|written| (written, "this value counts"));
            self.world.report(label.into_iter().fold(problem, |problem, (at, label)| problem.with_label(at, label)));
        }
        true
    }

    /// Returns the object that a call includes, if it is one of a file in the repository.
    fn call(&mut self, member: &Member) -> Option<Value> {
        let location = include_location(member).filter(|location| !location.contains("://") && self.left > 0)?;
        let linked = self.loader.load(self.file, location).ok()?;
        linked.value.as_object()?;
        if !self.files.insert(linked.file) {
            let steps = (linked.value.size().weight as usize).saturating_mul(STEPS_OF_REPEATED_VALUE);
            self.world.spend_steps(steps, member.key_span.or(member.value.span)).then_some(())?;
        }
        self.left -= 1;
        Some(linked.value)
    }
}
