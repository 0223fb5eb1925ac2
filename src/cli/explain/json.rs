//! The explanation as JSON: one object per line for each value. Fields are added, but never renamed.

use std::io;

use crate::cli::exit::Error;
use crate::cli::explain::Explained;
use crate::cli::explain::chain::{Chain, Link, line_of};
use crate::cli::explain::declared;
use crate::cli::explain::find::Target;
use crate::model::Hidden;
use crate::text::Sources;
use crate::value::{JsonStyle, Member, Value, write_json};

/// Prints one object for each value.
pub(super) fn print(
    explained: &[Explained<'_>],
    hidden: &Hidden,
    sources: &Sources,
    out: &mut dyn io::Write,
) -> Result<(), Error> {
    for Explained { target, chain } in explained {
        write_json(&object(target, chain, hidden, sources), JsonStyle::COMPACT, out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn object(target: &Target<'_>, chain: &Chain, hidden: &Hidden, sources: &Sources) -> Value {
    let resource = target.resource.map_or(Value::NULL, |resource| {
        Value::object(vec![
            Member::new("type", Value::from(resource.type_name.clone())),
            Member::new("name", Value::from(&*hidden.masked(&resource.name))),
            Member::new("id", Value::from(&*hidden.masked(&resource.id))),
        ])
    });
    let mut members = vec![
        Member::new("path", Value::from(target.walk.path())),
        Member::new("resource", resource),
        Member::new("value", hidden.marked(target.value)),
    ];
    members.extend(declared::declared_type(target).map(|declared| Member::new("type", Value::from(declared))));
    let unknown = target.value.first_unknown();
    members.extend(unknown.map(|unknown| Member::new("unknown", Value::from(unknown.why.clone()))));
    members.extend(target.doubt().map(|doubt| Member::new("maybe", Value::from(doubt))));
    let links = chain.links.iter().map(|link| step(link, chain.is_secret, sources));
    members.push(Member::new("chain", links.collect::<Vec<_>>().into()));
    Value::object(members)
}

fn step(link: &Link, is_secret: bool, sources: &Sources) -> Value {
    let mut members = vec![Member::new("step", Value::from(link.kind))];
    members.extend(link.name.as_deref().map(|name| Member::new("name", Value::from(name))));
    if let Some(span) = link.span {
        let source = sources.get(span.file);
        let place = source.position(span.start);
        members.push(Member::new("file", Value::from(&**source.name())));
        members.push(Member::new("line", Value::from(i64::from(place.line))));
        members.push(Member::new("column", Value::from(i64::from(place.column))));
        if !is_secret {
            members.push(Member::new("text", Value::from(line_of(span, sources))));
        }
    }
    Value::object(members)
}
