//! Long reports: a table of all rules, the first card of each, and one line for each of the others.

use std::collections::BTreeMap;
use std::io;

use foldhash::HashMap;

use crate::console::{Page, card};
use crate::diagnostic::{Level, Severity};
use crate::item::Item;
use crate::text::cut_to_width;
use crate::text::escape::visible;

/// Cards of a report in which all are shown.
pub(super) const MAX_CARDS: usize = 50;

/// Other files with the same problem that are named.
const MAX_FILES: usize = 3;

/// Advice on seeing less.
const HINT: &str =
    "`--min-severity high` shows the worst findings only, and `--write-baseline FILE` accepts what there is";

/// Findings of one rule, or problems of one kind.
struct ListedGroup<'a> {
    items: Vec<Item<'a>>,
    /// Sort key: worst level first, and problems of the run after all findings.
    rank: (bool, Level),
    /// Number of findings or problems.
    count: usize,
    /// Number of files that they are in.
    files: usize,
}

impl<'a> ListedGroup<'a> {
    fn new(items: Vec<Item<'a>>) -> Self {
        let mut files: Vec<&str> = items.iter().map(|item| &**item.place().file.name()).collect();
        files.sort_unstable();
        files.dedup();
        let is_problem = items.iter().all(|item| matches!(item, Item::Problem(_)));
        let level = items.iter().map(Item::level).max().unwrap_or(Level::Note);
        Self {
            rank: (!is_problem, level),
            count: items
                .iter()
                .map(|item: &Item<'_>| match item {
                    Item::Problem(_) => 1,
                    Item::Finding(fault) => fault.places(),
                })
                .sum(),
            files: files.len(),
            items,
        }
    }

    /// Returns the ID of the rule or problem, safe for a terminal.
    fn id(&self) -> String {
        visible(self.items.first().map_or("", Item::id)).into_owned()
    }

    /// Returns the highest severity of findings, or the level of problems.
    fn severity(&self) -> &'static str {
        // The worst is the first in their order.
        match self
            .items
            .iter()
            .filter_map(|item: &Item<'_>| match item {
                Item::Problem(_) => None,
                Item::Finding(fault) => Some(fault.rule.severity),
            })
            .min()
        {
            Some(Severity::High) => "high",
            Some(Severity::Medium) => "medium",
            Some(Severity::Low) => "low",
            None => self.items.first().map_or("", Item::word),
        }
    }

    /// Returns the description of the rule, or the message of the first problem.
    fn subject(&self) -> &'a str {
        match self.items.first() {
            Some(Item::Finding(fault)) => &fault.first().rule.short_description,
            Some(Item::Problem(problem)) => &problem.message,
            None => "",
        }
    }
}

/// Groups items by rule: the most severe first, then those with the most findings.
fn groups(items: Vec<Item<'_>>) -> Vec<ListedGroup<'_>> {
    let mut places: HashMap<(bool, &str), usize> = HashMap::default();
    let mut parts: Vec<Vec<Item<'_>>> = Vec::new();
    for item in items {
        let key = (matches!(item, Item::Problem(_)), item.id());
        let at = *places.entry(key).or_insert(parts.len());
        match parts.get_mut(at) {
            Some(part) => part.push(item),
            None => parts.push(vec![item]),
        }
    }
    let mut groups: Vec<ListedGroup<'_>> = parts.into_iter().map(ListedGroup::new).collect();
    groups.sort_by(|a, b| b.rank.cmp(&a.rank).then(b.count.cmp(&a.count)));
    groups
}

impl Page {
    /// Prints a report with too many items for cards.
    pub(super) fn overview(&self, items: Vec<Item<'_>>, out: &mut dyn io::Write) -> io::Result<()> {
        let groups = groups(items);
        self.table(&groups, out)?;
        for group in &groups {
            let Some((first, others)) = group.items.split_first() else { continue };
            out.write_all(&self.entry(first)?)?;
            if !others.is_empty() {
                self::others(first, others, out)?;
                writeln!(out)?;
            }
        }
        writeln!(out, "{HINT}")
    }

    fn table(&self, groups: &[ListedGroup<'_>], out: &mut dyn io::Write) -> io::Result<()> {
        let width = groups.iter().map(|group| group.id().chars().count()).max().unwrap_or(0).max("rule".len());
        let strong = self.theme.strong;
        writeln!(out, "{strong}{:11}  {:width$}  count  files{strong:#}", "severity", "rule")?;
        for group in groups {
            let (style, severity) = (self.theme.level(group.rank.1), group.severity());
            write!(out, "{style}{severity:11}{style:#}  {:width$}  {:5}  {:5}", group.id(), group.count, group.files)?;
            let room = self.width.saturating_sub(11 + 2 + width + 2 + 5 + 2 + 5 + 2);
            let subject = cut_to_width(&visible(group.subject()), room);
            writeln!(out, "{}", format!("  {subject}").trim_end())?;
        }
        writeln!(out)
    }
}

/// Prints the items after the first, one per line. Those with the same message in several files are joined.
fn others(first: &Item<'_>, others: &[Item<'_>], out: &mut dyn io::Write) -> io::Result<()> {
    if let Item::Problem(_) = first {
        return joined(first, others, out);
    }
    for item in others {
        write!(out, "  {}", item.place())?;
        if let Item::Finding(fault) = item
            && let Some(resource) = &fault.resource
        {
            write!(out, " {}", card::resource(resource))?;
        }
        match item.message() {
            same if same == first.message() => writeln!(out)?,
            message => writeln!(out, ": {}", visible(message))?,
        }
    }
    Ok(())
}

fn joined(first: &Item<'_>, others: &[Item<'_>], out: &mut dyn io::Write) -> io::Result<()> {
    let mut by_message: BTreeMap<&str, Vec<&Item<'_>>> = BTreeMap::new();
    for item in others {
        by_message.entry(item.message()).or_default().push(item);
    }
    for (message, items) in by_message {
        let places: Vec<String> = items.iter().take(MAX_FILES).map(|item| item.place().to_string()).collect();
        write!(out, "  {}", places.join(", "))?;
        if let Some(more) = items.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
            write!(out, ", and {more} more")?;
        }
        match message {
            same if same == first.message() => writeln!(out)?,
            message => writeln!(out, ": {}", visible(message))?,
        }
    }
    Ok(())
}
