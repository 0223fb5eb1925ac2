//! Checks of `IgnoreGlobals` in resources of SAM, against the section `Globals`.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy-globals.html>.

use crate::loops::Declaration;
use crate::sam::PREFIX;
use crate::stack::Stack;
use crate::structure::{MAX_SHOWN, kind};
use crate::text::cut;
use crate::value::{Object, Value};

/// The attribute that lists which of the globals a resource ignores.
const IGNORED: &str = "IgnoreGlobals";

pub(super) fn check_globals(stack: &Stack<'_>) {
    let globals = stack.section("Globals").filter(|_| stack.is_serverless);
    for Declaration { member, .. } in stack.declarations("Resources") {
        let Some(resource) = member.value.as_object() else { continue };
        let ignored = resource.get_exact(IGNORED).and_then(Value::as_array).unwrap_or_default();
        let Some(declared) = globals.and_then(|globals| globals_of(globals, resource)) else { continue };
        for item in ignored {
            match item.as_str() {
                Some(name) if declared.get_exact(name).is_none() => {
                    let hint = stack.world.suggestions.did_you_mean(name, declared.iter().map(|member| &*member.key));
                    let message = format!("`Globals` has no `{}` for this resource{hint}", cut(name, MAX_SHOWN));
                    stack.refuse(item, message);
                }
                None => stack.refuse(item, format!("`{IGNORED}` takes names of properties, found {}", kind(item))),
                Some(_) => {}
            }
        }
    }
}

/// Returns the globals for the type of a resource: those of `AWS::Serverless::Function` are in `Function`.
fn globals_of<'g>(globals: &'g Object, resource: &Object) -> Option<&'g Object> {
    let type_name = resource.get_exact("Type")?.as_str()?;
    globals.get_exact(type_name.strip_prefix(PREFIX)?)?.as_object()
}
