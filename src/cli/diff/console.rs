//! The difference for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::cli::diff::pairs::{Comparison, Names, Pair, Status};
use crate::cli::diff::shown::{self, Place, Surroundings};
use crate::diagnostic::Severity;
use crate::diff::{Cause, Change, Fate, Outcome, ResourceChange, Risk, Seen};
use crate::report::difference;
use crate::text::cut;
use crate::text::escape::{file_name, visible};
use crate::value::Value;

/// How many deployments are shown, how many resources of each, and how many properties of each resource.
const MAX_DEPLOYMENTS: usize = 100;
const MAX_RESOURCES: usize = 100;
const MAX_PROPERTIES: usize = 20;

/// How many parameters of a deployment are shown that make differences, and of how many the rest of their resources.
const MAX_CAUSES: usize = 20;

/// How many risks of each resource are shown.
const MAX_RISKS: usize = 10;

/// How many resources are shown in full that differ only by the same parameter.
const MAX_OF_CAUSE: usize = 3;

/// How many names of further resources are listed, and of deployments that differ in the same way.
const MAX_NAMES: usize = 8;

/// How many bytes of a name or a path are shown.
const MAX_NAME: usize = 200;

/// Deployments of a template that differ in the same way, and what is said of each.
struct Block<'p> {
    pairs: Vec<&'p Pair>,
    body: Vec<u8>,
}

impl Block<'_> {
    /// Whether it is about a deployment of the same template.
    fn has(&self, pair: &Pair) -> bool {
        self.pairs.iter().take(1).any(|first| first.names.0 == pair.names.0 && first.status == pair.status)
    }
}

/// Writes a comparison for people, with bounds on everything.
pub(super) struct Console<'a> {
    is_colored: bool,
    out: &'a mut dyn Write,
}

impl<'a> Console<'a> {
    pub(super) fn new(is_colored: bool, out: &'a mut dyn Write) -> Self {
        Self { is_colored, out }
    }

    /// Writes the deployments that differ, and a summary.
    pub(super) fn print(&mut self, comparison: &Comparison) -> io::Result<()> {
        let differing = comparison.pairs.iter().filter(|pair| pair.status != Status::Same);
        let (blocks, more) = self.blocks(differing)?;
        for block in blocks {
            for pair in block.pairs.iter().take(MAX_NAMES) {
                self.header(pair)?;
            }
            if block.pairs.len() > MAX_NAMES {
                let more = counted(block.pairs.len() - MAX_NAMES, "more deployment");
                writeln!(self.out, "… and {more} with the same difference")?;
            }
            self.out.write_all(&block.body)?;
            writeln!(self.out)?;
        }
        if more > 0 {
            writeln!(self.out, "… and {}\n", counted(more, "more deployment"))?;
        }
        self.summary(comparison)
    }

    /// What is to be said of deployments, once for those of a template that differ in the same way, and of how many there is
    /// nothing more.
    fn blocks<'p>(&self, pairs: impl Iterator<Item = &'p Pair>) -> io::Result<(Vec<Block<'p>>, usize)> {
        let (mut blocks, mut more) = (Vec::<Block<'p>>::new(), 0);
        for pair in pairs {
            let mut body = Vec::new();
            Console { is_colored: self.is_colored, out: &mut body }.body(pair)?;
            let is_full = blocks.len() == MAX_DEPLOYMENTS;
            let is_same = |block: &&mut Block<'p>| block.has(pair) && block.body == body && !body.is_empty();
            match blocks.iter_mut().find(is_same) {
                Some(block) => block.pairs.push(pair),
                None if is_full => more += 1,
                None => blocks.push(Block { pairs: vec![pair], body }),
            }
        }
        Ok((blocks, more))
    }

    fn header(&mut self, pair: &Pair) -> io::Result<()> {
        let strong = self.style(Style::new().bold());
        let about = match (pair.status, &pair.old_names) {
            (Status::New, _) => ": a new deployment".to_owned(),
            (Status::Removed, _) => ": no longer deployed".to_owned(),
            (Status::Unreadable, _) => ": cannot be compared, because one side cannot be read".to_owned(),
            (_, Some(old)) => format!(" (old: {})", named(old)),
            _ => String::new(),
        };
        writeln!(self.out, "{strong}{}{strong:#}{about}", named(&pair.names))
    }

    /// What differs in a deployment.
    fn body(&mut self, pair: &Pair) -> io::Result<()> {
        let difference = &pair.difference;
        for (at, (cause, place)) in pair.causes().enumerate().take(MAX_CAUSES) {
            self.cause(at, cause, place, pair)?;
        }
        if difference.causes.len() > MAX_CAUSES {
            writeln!(self.out, "  … and {}", counted(difference.causes.len() - MAX_CAUSES, "more parameter"))?;
        }
        let (mut shown, mut folded) = (Vec::new(), BTreeMap::<usize, Vec<&ResourceChange>>::new());
        for ((resource, around), cause) in pair.resources().zip(self::folded(pair)) {
            match cause {
                Some(cause) => folded.entry(cause).or_default().push(resource),
                None => shown.push((resource, around)),
            }
        }
        for (resource, around) in shown.iter().take(MAX_RESOURCES) {
            self.resource(resource, around, pair)?;
        }
        let unlisted: usize = Outcome::ALL.into_iter().map(|outcome| difference.unlisted(outcome)).sum();
        let more = shown.len().saturating_sub(MAX_RESOURCES) + unlisted;
        if more > 0 {
            writeln!(self.out, "  … and {}", counted(more, "more resource"))?;
        }
        for (at, resources) in folded.iter().take(MAX_CAUSES) {
            if let Some(cause) = difference.causes.get(*at) {
                self.rest(resources, cause)?;
            }
        }
        let unsaid: usize = folded.values().skip(MAX_CAUSES).map(Vec::len).sum();
        if unsaid > 0 {
            writeln!(
                self.out,
                "  … and {}, each of which differs only by a parameter",
                counted(unsaid, "more resource")
            )?;
        }
        Ok(())
    }

    /// The parameter and how many properties depend on it.
    fn cause(&mut self, at: usize, cause: &Cause, place: Option<&Place>, pair: &Pair) -> io::Result<()> {
        let changes = pair.difference.resources.iter().flat_map(|resource| &resource.changes.list);
        let count = changes.filter(|change| change.cause == Some(at)).count();
        let values = values(cause.old.as_ref(), cause.new.as_ref(), cause.is_secret);
        let place = in_parentheses(place);
        let noun = if count == 1 { "property depends" } else { "properties depend" };
        let name = name(&cause.parameter);
        writeln!(self.out, "  parameter `{name}`{place}: {values}; {count} changed {noun} on it")
    }

    fn resource(&mut self, resource: &ResourceChange, around: &Surroundings, pair: &Pair) -> io::Result<()> {
        let style = self.style(match resource.outcome {
            Outcome::Create => AnsiColor::Green.on_default(),
            Outcome::Remove => AnsiColor::Red.on_default(),
            Outcome::Change => AnsiColor::Yellow.on_default(),
            Outcome::Uncertain => AnsiColor::Magenta.on_default(),
        });
        let place = in_parentheses(around.place.as_ref());
        let (sign, title, note) = (resource.outcome.sign(), title(resource), note(resource));
        writeln!(self.out, "  {style}{sign} {title}{style:#}{place}{note}")?;
        for risk in resource.risks.iter().take(MAX_RISKS) {
            self.risk(risk)?;
        }
        if resource.risks.len() > MAX_RISKS {
            writeln!(self.out, "      … and {}", counted(resource.risks.len() - MAX_RISKS, "more risk"))?;
        }
        for change in resource.changes.list.iter().take(MAX_PROPERTIES) {
            self.property(change, pair)?;
        }
        let more = resource.changes.list.len().saturating_sub(MAX_PROPERTIES) + resource.changes.more;
        if more > 0 {
            writeln!(self.out, "      … and {more} more properties")?;
        }
        Ok(())
    }

    fn risk(&mut self, risk: &Risk) -> io::Result<()> {
        let style = self.style(match risk.severity {
            Severity::High => AnsiColor::Red.on_default().bold(),
            Severity::Medium => AnsiColor::Yellow.on_default().bold(),
            Severity::Low => Style::new().bold(),
        });
        let severity = risk.severity.as_str();
        let path = risk.path.as_ref().map_or_else(String::new, |path| format!(" (`{}`)", name(path)));
        writeln!(self.out, "      {style}! {severity} risk:{style:#} {}{path}", risk.message)
    }

    fn property(&mut self, change: &Change, pair: &Pair) -> io::Result<()> {
        let path = match &change.old_path {
            Some(old) => format!("{} (old: {})", name(&change.path), name(old)),
            None => name(&change.path),
        };
        let values = values(change.old.as_ref(), change.new.as_ref(), change.is_secret);
        let cause = change.cause.and_then(|at| pair.difference.causes.get(at));
        let cause = cause.map_or_else(String::new, |cause| format!(" (parameter `{}`)", name(&cause.parameter)));
        writeln!(self.out, "      {path}: {values}{cause}")
    }

    /// The resources that differ only by a parameter, beyond those that are shown.
    fn rest(&mut self, resources: &[&ResourceChange], cause: &Cause) -> io::Result<()> {
        let names: Vec<String> = resources.iter().take(MAX_NAMES).map(|resource| title(resource)).collect();
        let more = resources.len() - names.len();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let count = resources.len();
        let noun = if count == 1 { "resource differs" } else { "resources differ" };
        let parameter = name(&cause.parameter);
        writeln!(self.out, "  ~ {count} more {noun} only by parameter `{parameter}`: {}{more}", names.join(", "))
    }

    fn summary(&mut self, comparison: &Comparison) -> io::Result<()> {
        let same: usize = comparison.pairs.iter().map(|pair| pair.difference.same).sum();
        let unreadable = comparison.count(Status::Unreadable);
        let differing = comparison.pairs.len() - comparison.count(Status::Same) - unreadable;
        let [create, change, remove, uncertain] = Outcome::ALL.map(|outcome| comparison.resources(outcome));
        let all = counted(comparison.pairs.len(), "deployment");
        if differing == 0 {
            write!(self.out, "No difference in {all} with {}", counted(same, "resource"))?;
        } else {
            let verb = if differing == 1 { "differs" } else { "differ" };
            write!(
                self.out,
                "{differing} of {all} {verb}: {create} to create, {change} to change, {remove} no longer deployed, {uncertain} uncertain, {same} the same"
            )?;
        }
        if comparison.untouched > 0 {
            write!(self.out, "; {}", difference::untouched(comparison.untouched))?;
        }
        if unreadable > 0 {
            write!(self.out, "; {} cannot be compared", counted(unreadable, "deployment"))?;
        }
        writeln!(self.out)?;
        let risks = [Severity::High, Severity::Medium, Severity::Low].map(|severity| comparison.risks(severity));
        if let [high, medium, low] = risks
            && high + medium + low > 0
        {
            writeln!(self.out, "Risks: {high} high, {medium} medium, {low} low")?;
        }
        let resources = comparison.pairs.iter().flat_map(|pair| &pair.difference.resources);
        if resources.into_iter().any(|resource| resource.fate == Some(Fate::Untouched)) {
            writeln!(self.out, "A resource that is no longer deployed is not deleted by an incremental deployment.")?;
        }
        Ok(())
    }

    fn style(&self, style: Style) -> Style {
        if self.is_colored { style } else { Style::new() }
    }
}

/// For each resource, the cause under which it is only counted: it differs by nothing else, and others like it are shown.
fn folded(pair: &Pair) -> Vec<Option<usize>> {
    let mut shown = vec![0_usize; pair.difference.causes.len()];
    let mut fold = |resource: &ResourceChange| {
        let cause = only_cause(resource)?;
        let shown = shown.get_mut(cause)?;
        *shown += 1;
        (*shown > MAX_OF_CAUSE).then_some(cause)
    };
    pair.difference.resources.iter().map(&mut fold).collect()
}

fn only_cause(resource: &ResourceChange) -> Option<usize> {
    let first = resource.changes.list.first()?.cause?;
    // A risk is always shown.
    let is_alone = resource.outcome == Outcome::Change && resource.changes.more == 0 && resource.risks.is_empty();
    (is_alone && resource.changes.list.iter().all(|change| change.cause == Some(first))).then_some(first)
}

fn title(resource: &ResourceChange) -> String {
    let seen = resource.seen();
    let title = name(seen.map_or("", |seen| &seen.name));
    let unknown = if seen.is_some_and(|seen| seen.is_approximate) { " (name known after deployment)" } else { "" };
    format!("{} {title}{unknown}", name(&resource.type_name))
}

/// What else there is to know about a resource.
fn note(resource: &ResourceChange) -> String {
    let mut note = String::new();
    let maybe = |seen: &Option<Seen>| seen.as_ref().and_then(|seen| seen.maybe.clone());
    let [old, new] = [&resource.old, &resource.new].map(maybe);
    if resource.outcome == Outcome::Uncertain
        && let Some(why) = new.or(old)
    {
        let _ = write!(note, ", depends on a condition: {}", visible(&cut(&why.why, MAX_NAME)));
    }
    if let Some(other) = &resource.renamed {
        let _ = match resource.new {
            Some(_) => write!(note, ", renamed from {}", name(other)),
            None => write!(note, ", renamed to {}", name(other)),
        };
    }
    match resource.fate {
        Some(Fate::Deleted) => note.push_str(", deleted"),
        Some(Fate::Snapshot) => note.push_str(", deleted after a snapshot"),
        Some(Fate::Kept) => note.push_str(", kept by its `DeletionPolicy`"),
        Some(Fate::Untouched) if resource.renamed.is_some() => {
            note.push_str(": Azure creates a second one and keeps the first");
        }
        _ => {}
    }
    note
}

fn values(old: Option<&Value>, new: Option<&Value>, is_secret: bool) -> String {
    match (old, new) {
        (Some(old), Some(new)) => match shown::texts(old, new, is_secret) {
            // What is unknown for the same reason may still be computed in another way.
            [old, new] if is_secret || old == new => format!("{old}, changed"),
            [old, new] => format!("{old} → {new}"),
        },
        (Some(old), None) => format!("{} → (none)", shown::text(old, is_secret)),
        (None, new) => {
            format!("(none) → {}", new.map_or_else(String::new, |value| shown::text(value, is_secret)))
        }
    }
}

fn in_parentheses(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |Place { file, line }| format!(" ({}:{line})", visible(file)))
}

fn named((template, parameters): &Names) -> String {
    let file = |name: &str| file_name(name).into_owned();
    match parameters {
        Some(parameters) => format!("{} with {}", file(template), file(parameters)),
        None => file(template),
    }
}

/// A name or a path, on one line.
fn name(text: &str) -> String {
    visible(&cut(text, MAX_NAME)).into_owned()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
