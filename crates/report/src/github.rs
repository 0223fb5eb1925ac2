//! GitHub workflow commands, which the runner turns into annotations. See
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.
//!
//! The runner reads a command from every line of standard output that starts with `::` after blanks, and in an older
//! form from a line with `##[` anywhere. So while this report goes to standard output nothing else may, least of all
//! text from a template; the last lines of this report are made of our own words and of numbers.
//!
//! The runner keeps the first ten annotations of each level of a step. The order is therefore the worst first, and
//! where there are more than ten, those on lines of the change before others, and of both one for each rule in each file
//! before any second one. Diagnostics that are only worth knowing are counted and not annotated: they would appear in every
//! pull request.
//!
//! GitHub shows annotations at lines of the head of a pull request, and a workflow usually checks its merge with the
//! base; so lines are those of the head where that is known.

use std::io;

use foldhash::HashMap;

use crate::Options;
use crate::diagnostic::Level;
use crate::file_list;
use crate::item::{self, Item};
use crate::model::{Head, Report};
use crate::tally;
use crate::text::escape::{command_data, command_property};

/// Annotations of one level that the runner keeps per step (`_maxCountPerIssueType`).
const SHOWN: usize = 10;

/// Length at which the runner cuts a message, in UTF-16 code units.
const MAX_MESSAGE: usize = 4096;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for notice in &report.notices {
        writeln!(out, "::warning title=formwork::{}", command_data(notice))?;
    }
    let mut cut = Vec::new();
    for level in [Level::Error, Level::Warning, Level::Note] {
        let items: Vec<Item<'_>> = item::worth_annotating(report).filter(|item| item.level() == level).collect();
        if items.len() > SHOWN {
            cut.push((command_name(level), items.len()));
        }
        for (item, more) in ordered(&items) {
            command(&item, more, out)?;
        }
    }
    for (name, count) in cut {
        match options.run_url {
            Some(url) => writeln!(out, "showing {SHOWN} of {count} {name} annotations; all are in {url}")?,
            None => writeln!(out, "GitHub shows {SHOWN} of {count} {name} annotations; this log has them all")?,
        }
    }
    if let Some(hidden) = tally::hidden(report) {
        writeln!(out, "{hidden}")?;
    }
    writeln!(out, "{}", tally::sentence(report))
}

/// Sorts items for output, each with the number of later items of its rule and file.
fn ordered<'a>(items: &[Item<'a>]) -> Vec<(Item<'a>, usize)> {
    if items.len() <= SHOWN {
        return items.iter().map(|item| (item.clone(), 0)).collect();
    }
    let mut sorted = items.to_vec();
    sorted.sort_by_key(|item| !is_in_front(item));
    let mut ordered: Vec<(Item<'a>, usize)> = Vec::new();
    let mut leaders: HashMap<(&str, &str), usize> = HashMap::default();
    let mut ranks = Vec::new();
    for (index, item) in sorted.into_iter().enumerate() {
        let leader = *leaders.entry((item.id(), &**item.place().file.name())).or_insert(index);
        if let Some((_, more)) = ordered.get_mut(leader).filter(|_| leader != index) {
            *more += 1;
        }
        ranks.push((!is_in_front(&item), leader != index));
        ordered.push((item, 0));
    }
    let mut ranked: Vec<_> = ranks.into_iter().zip(ordered).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, item)| item).collect()
}

/// True if it is a problem of the run, or a finding of the change.
fn is_in_front(item: &Item<'_>) -> bool {
    match item {
        Item::Problem(_) => true,
        Item::Finding(finding) => finding.in_change == Some(true),
    }
}

/// Writes one command. The places come last: the runner trims blanks at the end of the properties.
fn command(item: &Item<'_>, more: usize, out: &mut dyn io::Write) -> io::Result<()> {
    let place = item.place();
    let title = match item.name() {
        Some(name) => format!("{} {name}", item.id()),
        None => item.id().to_owned(),
    };
    let own = place.start.line;
    let (file, line, aside) = match place.head.as_deref() {
        None | Some(Head::Absent) => (place.file.name(), own, None),
        Some(Head::At { file, line, .. }) => (file, *line, None),
        Some(Head::Below { file, line }) => {
            (file, *line, Some(format!("at line {own} of the merge, which came with the base")))
        }
        Some(Head::Nowhere { file }) => (file, own, Some("in a file that came with the base".to_owned())),
    };
    write!(out, "::{} file={},", command_name(item.level()), command_property(file))?;
    write!(out, "title={},line={line}", command_property(&title))?;
    // The runner drops columns of a range over several lines. Without an end line the annotation stands at the first
    // line, which is the one that names what is wrong.
    if place.is_on_one_line() && !place.is_whole_file() && aside.is_none() {
        write!(out, ",endLine={line},col={}", place.start.column)?;
        write!(out, ",endColumn={}", place.end.column)?;
    }
    writeln!(out, "::{}", command_data(&shortened(message(item, more, aside))))
}

const fn command_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

fn message(item: &Item<'_>, more: usize, aside: Option<String>) -> String {
    let mut lines = vec![item.message().to_owned()];
    lines.extend(aside);
    if more > 0 {
        lines.push(format!("and {more} more in this file"));
    }
    match item {
        Item::Problem(problem) => lines.extend(problem.help.clone()),
        Item::Finding(finding) => {
            lines.extend(file_list::parameter_files(finding).map(|files| format!("in {files}")));
            lines.extend(finding.note());
            lines.extend(finding.rule.recommendation.clone());
            lines.extend(finding.rule.help_uri.clone());
        }
    }
    lines.join("\n")
}

/// Cuts a message where the runner would, with a note.
fn shortened(mut message: String) -> String {
    if message.encode_utf16().count() <= MAX_MESSAGE {
        return message;
    }
    let mut units = 1;
    let cut = message.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MAX_MESSAGE
    });
    if let Some((at, _)) = cut {
        message.truncate(at);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::diagnostic::{EventChange, HeadFile, Run, Severity};
    use crate::text::escape::visible;
    use crate::text::{Hunk, LineMap};
    use crate::value::Few;
    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Github, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::assert_report(Format::Github, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Github, "empty", &sample::empty());
    }

    fn lines(run: &Run) -> Vec<String> {
        let text = sample::render(Format::Github, run, false, false);
        text.lines().map(str::to_owned).collect()
    }

    /// A run with one finding for each given rule, all of one severity and in one file.
    fn run_with(rules: &[&str]) -> Run {
        let mut run = sample::run();
        let template = run.findings.remove(0);
        run.diagnostics.clear();
        run.findings.clear();
        for id in rules {
            let mut rule = (*template.rule).clone();
            (rule.id, rule.severity) = ((*id).to_owned(), Severity::High);
            (rule.name, rule.recommendation, rule.help_uri) = (String::new(), None, None);
            let mut finding = template.clone();
            finding.rule = Arc::new(rule);
            finding.parameters = Few::NONE;
            finding.deployments.as_vec().truncate(1);
            finding.message = "m".into();
            // Each at a place of its own: at the same place, they would be one fault.
            finding.span.end -= u32::try_from(run.findings.len()).unwrap();
            run.findings.push(finding);
        }
        run
    }

    #[track_caller]
    fn check_order(rules: &[&str], expected: &[(&str, &str)]) {
        let lines = lines(&run_with(rules));
        let commands = lines.iter().filter_map(|line| runner::parse(line));
        let got: Vec<(String, String)> =
            commands.map(|command| (command.properties["title"].clone(), command.message)).collect();
        let got: Vec<(&str, &str)> = got.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn up_to_ten_of_a_level_keep_their_order() {
        check_order(&["A", "A", "B"], &[("A", "m"), ("A", "m"), ("B", "m")]);
    }

    #[test]
    fn beyond_ten_each_rule_of_a_file_comes_once_before_any_comes_twice() {
        let rules = ["A", "A", "A", "A", "A", "A", "A", "A", "A", "B", "B", "C"];
        let more = |count: usize| format!("m\nand {count} more in this file");
        let (eight, one) = (more(8), more(1));
        let mut expected = vec![("A", eight.as_str()), ("B", one.as_str()), ("C", "m")];
        expected.extend([("A", "m"); 8]);
        expected.push(("B", "m"));
        check_order(&rules, &expected);
        let notice = "GitHub shows 10 of 12 error annotations; this log has them all".to_owned();
        assert!(lines(&run_with(&rules)).contains(&notice));
    }

    #[test]
    fn beyond_ten_those_on_changed_lines_come_before_all_others() {
        let mut run = run_with(&["A", "A", "B", "B", "C", "C", "D", "D", "E", "E", "F"]);
        for (index, finding) in run.findings.iter_mut().enumerate() {
            finding.in_change = Some([3, 4, 5, 7].contains(&index));
            finding.message = index.to_string();
        }
        let lines = lines(&run);
        let messages = lines.iter().filter_map(|line| runner::parse(line)).map(|command| command.message);
        let order: Vec<String> = messages.map(|message| message.replace("\nand 1 more in this file", "+")).collect();
        assert_eq!(order, ["3+", "4+", "7+", "5", "0+", "8+", "10", "1", "2", "6", "9"]);
    }

    #[test]
    fn all_of_more_than_ten_are_where_the_run_is() {
        let url = Some("https://github.com/o/r/actions/runs/1");
        let options = Options { run_url: url, ..sample::options() };
        let mut out = Vec::new();
        render(&sample::report(&run_with(&["A"; 11])), &options, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = "showing 10 of 11 error annotations; all are in https://github.com/o/r/actions/runs/1";
        assert_eq!(text.lines().nth(11), Some(expected));
    }

    #[test]
    fn places_are_those_of_the_head() {
        let check = |name: &str, map: Option<LineMap>, expected: &str| {
            let mut run = run_with(&["A"]);
            let file = HeadFile { name: name.into(), lines: map };
            let files = [(run.findings[0].span.file, file)].into_iter().collect();
            run.change = Some(EventChange { files, ..EventChange::default() });
            assert_eq!(lines(&run)[0], expected);
        };
        let two_more = |above: u32| Hunk { old_start: above - 1, old_count: 0, new_start: above, new_count: 2 };
        let at = |above| Some(LineMap::new(vec![two_more(above)]));
        check("i/m.json", at(3), "::error file=i/m.json,title=A,line=9,endLine=9,col=9,endColumn=51::m");
        let behind = "::error file=i/m.json,title=A,line=10::m%0Aat line 11 of the merge, which came with the base";
        check("i/m.json", at(11), behind);
        check("i/m.json", None, "::error file=i/m.json,title=A,line=11::m%0Ain a file that came with the base");
    }

    #[test]
    fn a_notice_is_an_annotation_without_a_place() {
        let mut run = run_with(&["A"]);
        run.notices = vec!["100 %\nof \x1b[31mthis".to_owned()];
        assert_eq!(lines(&run)[0], "::warning title=formwork::100 %25%0Aof \\u{1b}[31mthis");
    }

    #[test]
    fn errors_come_before_warnings_and_notices() {
        let lines = lines(&sample::run());
        let names: Vec<String> = lines.iter().filter_map(|line| runner::parse(line)).map(|line| line.name).collect();
        assert_eq!(names, ["error", "error", "warning", "warning", "warning", "notice"]);
    }

    #[test]
    fn columns_are_given_for_a_range_on_one_line_only() {
        let lines = lines(&sample::run());
        for command in lines.iter().filter_map(|line| runner::parse(line)) {
            let has = |key| command.properties.contains_key(key);
            assert!(has("line"));
            assert_eq!(has("col"), has("endColumn"));
            assert_eq!(has("col"), has("endLine"));
        }
        let several = lines.iter().find(|line| line.contains("network rules")).unwrap();
        assert!(!several.contains("col="), "{several}");
    }

    #[test]
    fn a_message_is_cut_where_the_runner_cuts_it() {
        assert_eq!(shortened("é".repeat(4096)), "é".repeat(4096));
        assert_eq!(shortened("é".repeat(4097)), format!("{}…", "é".repeat(4095)));
        let cut = shortened("𝕊".repeat(2049));
        assert_eq!(cut, format!("{}…", "𝕊".repeat(2047)));
    }

    proptest! {
        #[test]
        fn the_runner_reads_back_what_was_meant(
            file in sample::any_text(),
            name in sample::any_text(),
            message in sample::any_text(),
        ) {
            let mut run = run_with(&["ID"]);
            let id = run.sources.add(file.clone(), "{}");
            let mut rule = (*run.findings[0].rule).clone();
            rule.name.clone_from(&name);
            run.findings[0].rule = Arc::new(rule);
            run.findings[0].message.clone_from(&message);
            run.findings[0].span = crate::text::Span::new(id, 0, 1);
            let lines = lines(&run);
            let command = runner::parse(&lines[0]).unwrap();
            // The runner drops `=` at the start of a value, and has no escape for it.
            let file = shown(&file);
            let file = file.trim_start_matches('=');
            prop_assert_eq!(command.properties.get("file").map_or("", String::as_str), file);
            let title = if name.is_empty() { "ID".to_owned() } else { format!("ID {name}") };
            prop_assert_eq!(&command.properties["title"], &shown(&title));
            prop_assert_eq!(&command.properties["line"], "1");
            prop_assert_eq!(command.message, shown(&message));
            prop_assert_eq!(lines.len(), 2);
        }

        #[test]
        fn no_text_of_a_template_forms_a_command(run in sample::any_run()) {
            let text = sample::render(Format::Github, &run, false, false);
            let (ours, rest): (Vec<&str>, Vec<&str>) =
                runner::lines(&text).into_iter().partition(|line| runner::parse(line).is_some());
            prop_assert_eq!(ours.len(), item::worth_acting_on(&sample::report(&run)).count());
            prop_assert_eq!(&rest, &[tally::sentence(&sample::report(&run))]);
            prop_assert!(rest.iter().all(|line| !runner::is_old_command(line)));
            prop_assert_eq!(sample::obeyed_by_a_terminal(&text, false), None);
        }
    }

    /// A text over several lines, as a reader of the log is shown it.
    fn shown(text: &str) -> String {
        let lines: Vec<_> = text.split('\n').map(|line| visible(line.strip_suffix('\r').unwrap_or(line))).collect();
        lines.join("\n")
    }

    /// What the runner makes of a line, after `ActionCommand.cs` of actions/runner.
    mod runner {
        use foldhash::HashMap;

        #[derive(Debug)]
        pub(super) struct Command {
            pub(super) name: String,
            pub(super) properties: HashMap<String, String>,
            pub(super) message: String,
        }

        /// The runner reads its children by lines that end as .NET ends them.
        pub(super) fn lines(text: &str) -> Vec<&str> {
            text.split(['\r', '\n']).filter(|line| !line.is_empty()).collect()
        }

        pub(super) fn parse(line: &str) -> Option<Command> {
            let line = line.trim_start().strip_prefix("::")?;
            let (info, message) = line.split_once("::")?;
            let (name, properties) = info.split_once(' ').unwrap_or((info, ""));
            if !["error", "warning", "notice", "debug", "group", "add-mask", "stop-commands"].contains(&name) {
                return None;
            }
            let properties = properties.trim().split(',').filter_map(|property| {
                let (key, value) = property.trim_start_matches('=').split_once('=')?;
                let value = value.trim_start_matches('=');
                (!value.is_empty()).then(|| (key.to_owned(), unescape_property(value)))
            });
            Some(Command { name: name.to_owned(), properties: properties.collect(), message: unescape(message) })
        }

        pub(super) fn is_old_command(line: &str) -> bool {
            line.contains("##[")
        }

        fn unescape(text: &str) -> String {
            text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        }

        fn unescape_property(text: &str) -> String {
            let text = text.replace("%0D", "\r").replace("%0A", "\n");
            text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
        }
    }
}
