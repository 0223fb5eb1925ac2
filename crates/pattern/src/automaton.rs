//! Searches for patterns by an automaton, in strings and in those of which only the ends are known.
//!
//! The automaton is `regex-automata`'s lazy DFA. Its states are made when a text first leads to them, which suits patterns
//! that are searched in a few short strings: the `regex` crate makes several automata of each pattern, to find where a match
//! is as well, and takes four times as much memory.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foldhash::{HashMap, HashSet};
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Input, MatchKind};

/// Memory that an automaton and its states may take, in bytes. Without enough of it, nothing is known.
const SIZE_LIMIT: usize = 4 << 20;

/// How many states are followed at once.
const MAX_STATES: usize = 4000;

/// Characters outside ASCII that may be where nothing is known. Patterns rarely tell others from them.
const WIDE: [char; 2] = ['é', '漢'];

/// What is known of a string.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// What it certainly begins with.
    pub start: &'a str,
    /// What it certainly ends with, after the beginning.
    pub end: &'a str,
    /// Whether there is at least one character between the two, and no white space.
    pub is_filled: bool,
}

/// The automaton of a pattern. It is made when it is first needed, since most rules look for resources that a template does
/// not have.
#[derive(Debug, Default)]
pub struct Automaton {
    /// `None` for a pattern that has no such automaton.
    dfa: OnceLock<Option<Arc<DFA>>>,
    /// What searches left for the next ones: many strings begin alike. There are as many as there were threads at once.
    memories: Mutex<Memories>,
}

/// Boxed, because each search moves one, and a list makes room for four at once.
type Memories = Vec<Box<Memory>>;

impl Clone for Automaton {
    fn clone(&self) -> Self {
        Self { dfa: self.dfa.clone(), memories: Mutex::default() }
    }
}

/// The states that are known, and where they lead.
#[derive(Debug)]
struct Memory {
    cache: Cache,
    /// What is reached from a state through any text, or through any that [`Form::is_filled`] allows.
    wandered: HashMap<(LazyStateID, bool), Arc<Reached>>,
    /// From where a text is known that matches, though not all that is reached.
    finding: HashSet<(LazyStateID, bool)>,
}

impl Memory {
    fn new(dfa: &DFA) -> Self {
        Self { cache: dfa.create_cache(), wandered: HashMap::default(), finding: HashSet::default() }
    }
}

/// Where any text leads.
#[derive(Debug, Default)]
struct Reached {
    states: Vec<LazyStateID>,
    /// Whether a search may end on the way with a match.
    found: bool,
    /// Whether it may end without one.
    failed: bool,
}

impl Automaton {
    /// Whether a search for `pattern`, which has to be that of the first search, succeeds in `text`. `None` if there is no
    /// automaton, or if it does not know a character of the text.
    pub(super) fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        let dfa = self.dfa(pattern)?;
        let mut memory = self.memory(dfa);
        let answer = dfa.try_search_fwd(&mut memory.cache, &Input::new(text).earliest(true));
        self.keep(memory);
        answer.ok().map(|found| found.is_some())
    }

    /// As [`Self::is_match`] in every string of a form, or in none of them. `None` if neither is certain. Line breaks are
    /// not expected where nothing is known.
    pub fn search(&self, pattern: &str, form: Form<'_>) -> Option<bool> {
        let automaton = self.dfa(pattern)?;
        let mut search = Search { automaton, memory: self.memory(automaton), found: false, failed: false };
        let answer = search.run(form);
        self.keep(search.memory);
        answer
    }

    fn dfa(&self, pattern: &str) -> Option<&DFA> {
        self.dfa.get_or_init(|| dfa(pattern).map(Arc::new)).as_deref()
    }

    /// A memory that no other thread has.
    fn memory(&self, dfa: &DFA) -> Box<Memory> {
        let new = || Box::new(Memory::new(dfa));
        self.memories().pop().unwrap_or_else(new)
    }

    /// Leaves a memory for the next search, unless states were forgotten: others have their numbers now.
    fn keep(&self, memory: Box<Memory>) {
        if memory.cache.clear_count() == 0 {
            self.memories().push(memory);
        }
    }

    fn memories(&self) -> MutexGuard<'_, Memories> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn dfa(pattern: &str) -> Option<DFA> {
    let config = DFA::config().cache_capacity(SIZE_LIMIT).match_kind(MatchKind::All).unicode_word_boundary(true);
    let size = thompson::Config::new().nfa_size_limit(Some(SIZE_LIMIT));
    DFA::builder().configure(config).thompson(size).build(pattern).ok()
}

/// All ways that a search may go.
struct Search<'a> {
    automaton: &'a DFA,
    memory: Box<Memory>,
    /// Whether any of them ended with a match.
    found: bool,
    /// Whether any of them ended without one.
    failed: bool,
}

/// Where a character leads.
enum Next {
    /// The search goes on.
    State(LazyStateID),
    /// It ended, with a match or without one.
    End,
    /// Nobody can tell: the automaton does not know this character.
    Lost,
}

impl Search<'_> {
    fn run(&mut self, form: Form<'_>) -> Option<bool> {
        let start = self.automaton.start_state_forward(&mut self.memory.cache, &Input::new("")).ok()?;
        let starts = self.follow(vec![start], form.start.as_bytes())?;
        // One text of the form often is an example against what another one shows.
        let shortest = self.follow(starts.clone(), if form.is_filled { b"a" } else { b"" })?;
        self.finish(shortest, form)?;
        let states = self.wander(&starts, form.is_filled)?;
        self.finish(states, form)?;
        match (self.found, self.failed) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// `None` if the memory does not suffice: states that are forgotten have no successors.
    fn next(&mut self, state: LazyStateID, byte: u8) -> Option<Next> {
        let next = self.automaton.next_state(&mut self.memory.cache, state, byte).ok()?;
        if self.memory.cache.clear_count() > 0 {
            return None;
        }
        self.found |= next.is_match();
        self.failed |= next.is_dead();
        Some(match () {
            () if next.is_quit() => Next::Lost,
            () if next.is_match() || next.is_dead() => Next::End,
            () => Next::State(next),
        })
    }

    /// The states after `text`.
    fn follow(&mut self, mut states: Vec<LazyStateID>, text: &[u8]) -> Option<Vec<LazyStateID>> {
        for byte in text {
            let mut after = Vec::with_capacity(states.len());
            for state in states {
                match self.next(state, *byte)? {
                    Next::State(next) if !after.contains(&next) => after.push(next),
                    Next::State(_) | Next::End => {}
                    Next::Lost => return None,
                }
            }
            states = after;
        }
        Some(states)
    }

    /// The states after any text. If `is_filled`, that has a character and no blanks.
    fn wander(&mut self, starts: &[LazyStateID], is_filled: bool) -> Option<Vec<LazyStateID>> {
        let mut all: Vec<LazyStateID> = Vec::new();
        for &start in starts {
            let known = self.memory.wandered.get(&(start, is_filled)).map(Arc::clone);
            let reached = match known {
                Some(reached) => reached,
                None => Arc::new(self.explore(start, is_filled)?),
            };
            self.memory.wandered.entry((start, is_filled)).or_insert_with(|| Arc::clone(&reached));
            self.found |= reached.found;
            self.failed |= reached.failed;
            all.extend(&reached.states);
        }
        Some(all)
    }

    /// What any text leads to from one state. `None` if that is too much, and as soon as nothing is certain any more.
    fn explore(&mut self, start: LazyStateID, is_filled: bool) -> Option<Reached> {
        if self.failed && self.memory.finding.contains(&(start, is_filled)) {
            return None;
        }
        let before = (std::mem::take(&mut self.found), std::mem::take(&mut self.failed));
        let first = if is_filled { b'!' } else { b' ' };
        let mut seen: HashSet<LazyStateID> = HashSet::default();
        let mut states = Vec::new();
        if !is_filled {
            seen.insert(start);
            states.push(start);
        }
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let mut steps = Vec::new();
            for byte in first..=b'~' {
                if let Next::State(next) = self.next(state, byte)? {
                    steps.push(next);
                }
            }
            for wide in WIDE {
                // A pattern with word boundaries is not followed through such characters.
                steps.extend(self.follow(vec![state], wide.encode_utf8(&mut [0; 4]).as_bytes()).into_iter().flatten());
            }
            for next in steps.into_iter().filter(|&next| seen.insert(next)) {
                states.push(next);
                open.push(next);
            }
            if self.found && before.1 {
                self.memory.finding.insert((start, is_filled));
                return None;
            }
            if states.len() > MAX_STATES || self.failed && before.0 {
                return None;
            }
        }
        let (found, failed) = (self.found, self.failed);
        (self.found, self.failed) = before;
        Some(Reached { states, found, failed })
    }

    /// Follows what is at the end of the form, from where the text between its ends leads to.
    fn finish(&mut self, states: Vec<LazyStateID>, form: Form<'_>) -> Option<()> {
        for state in self.follow(states, form.end.as_bytes())? {
            let end = self.automaton.next_eoi_state(&mut self.memory.cache, state).ok()?;
            if end.is_quit() || self.memory.cache.clear_count() > 0 {
                return None;
            }
            self.found |= end.is_match();
            self.failed |= !end.is_match();
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, start: &str, end: &str, is_filled: bool, expected: Option<bool>) {
        let form = Form { start, end, is_filled };
        assert_eq!(Automaton::default().search(pattern, form), expected, "{pattern} in {start}…{end}");
    }

    #[test]
    fn a_match_within_the_known_ends_is_certain() {
        check(":policy/Admin$", "arn:", ":iam::aws:policy/Admin", false, Some(true));
        check("^arn:", "arn:", "", false, Some(true));
        check("ADMIN", "", "xadminx", false, None);
        check("(?i)ADMIN", "", "xadminx", false, Some(true));
        check("^aws", "", "aws", false, None);
        check(r"\bpolicy\b", "", "/policy", false, Some(true));
        check("é$", "", "é", false, Some(true));
    }

    #[test]
    fn no_match_is_certain_if_the_ends_forbid_it() {
        check(":policy/Admin$", "arn:", ":policy/ReadOnly", false, Some(false));
        check("^TLS", "SSL", "", false, Some(false));
        check("^a[0-9]+$", "a", "-", false, Some(false));
        check("b", "a", "a", false, None);
    }

    #[test]
    fn what_is_filled_has_a_character() {
        check(".+", "", "", true, Some(true));
        check(".+", "", "", false, None);
        check("^$", "", "", true, Some(false));
        check(r"\s", "a", "b", true, Some(false));
        check(r"^a\S+b$", "a", "b", true, Some(true));
        check("(a{1000}){1000}", "", "", true, None);
    }
}
