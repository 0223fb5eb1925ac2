//! Searches for patterns with an automaton, in strings that are known completely or only at their ends.
//!
//! The automaton is the lazy DFA of `regex-automata`. Its states are made when a string first leads to them, which
//! suits patterns that are searched in a few short strings: the `regex` crate makes several automata per pattern, to
//! find the position of a match as well, and takes four times as much memory.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foldhash::{HashMap, HashSet};
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Input, MatchKind};

/// Memory that an automaton and its states may take, in bytes. With more, searches have no answer.
const SIZE_LIMIT: usize = 4 << 20;

/// States that are followed at once.
const MAX_STATES: usize = 4000;

/// Characters outside ASCII that stand for all others in unknown text. Patterns rarely distinguish them.
const WIDE: [char; 2] = ['é', '漢'];

/// Known parts of a string.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// Known beginning.
    pub start: &'a str,
    /// Known end, after the beginning.
    pub end: &'a str,
    /// True if the text between the two is not empty and has no white space.
    pub is_filled: bool,
}

/// Automaton of a pattern. It is made when it is first needed, since most rules look for resources that a template does
/// not have.
#[derive(Debug, Default)]
pub struct Automaton {
    /// The automaton; `None` if the pattern has none.
    dfa: OnceLock<Option<Arc<DFA>>>,
    /// Cache: states that earlier searches found, as many as there were threads at once. Many strings begin alike.
    memories: Mutex<Memories>,
}

/// Boxed memories, since each search moves one, and a list reserves room for four.
type Memories = Vec<Box<Memory>>;

impl Clone for Automaton {
    fn clone(&self) -> Self {
        Self { dfa: self.dfa.clone(), memories: Mutex::default() }
    }
}

/// Known states and transitions.
#[derive(Debug)]
struct Memory {
    cache: Cache,
    /// States after any text, by the state before it and [`Form::is_filled`].
    wandered: HashMap<(LazyStateID, bool), Arc<ReachedStates>>,
    /// States from which some text leads to a match, although not all texts were followed.
    finding: HashSet<(LazyStateID, bool)>,
}

impl Memory {
    fn new(dfa: &DFA) -> Self {
        Self { cache: dfa.create_cache(), wandered: HashMap::default(), finding: HashSet::default() }
    }
}

/// States after any text.
#[derive(Debug, Default)]
struct ReachedStates {
    states: Vec<LazyStateID>,
    /// True if some text leads to a match.
    found: bool,
    /// True if some text ends the search without a match.
    failed: bool,
}

impl Automaton {
    /// True if a search for `pattern` succeeds in `text`. The pattern must be the same in every call. `None` if there
    /// is no automaton, or if it does not know a character of the text.
    pub(super) fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        let dfa = self.dfa(pattern)?;
        let mut memory = self.memory(dfa);
        let answer = dfa.try_search_fwd(&mut memory.cache, &Input::new(text).earliest(true));
        self.keep(memory);
        answer.ok().map(|found| found.is_some())
    }

    /// Searches all strings of a form: `Some(true)` if all match, `Some(false)` if none does, else `None`. Unknown text
    /// is assumed to have no line breaks.
    pub fn search(&self, pattern: &str, form: Form<'_>) -> Option<bool> {
        let automaton = self.dfa(pattern)?;
        let mut search = FormSearch { automaton, memory: self.memory(automaton), found: false, failed: false };
        let answer = search.run(form);
        self.keep(search.memory);
        answer
    }

    fn dfa(&self, pattern: &str) -> Option<&DFA> {
        self.dfa.get_or_init(|| dfa(pattern).map(Arc::new)).as_deref()
    }

    /// Returns a memory that no other thread uses.
    fn memory(&self, dfa: &DFA) -> Box<Memory> {
        self.memories().pop().unwrap_or_else(|| Box::new(Memory::new(dfa)))
    }

    /// Returns a memory for the next search, unless states were dropped, since others have their numbers then.
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

/// Search in all strings of a form at once.
struct FormSearch<'a> {
    automaton: &'a DFA,
    memory: Box<Memory>,
    /// True if some string ended with a match.
    found: bool,
    /// True if some string ended without one.
    failed: bool,
}

/// Result of a transition.
enum Transition {
    /// The search goes on.
    State(LazyStateID),
    /// The search ended, with or without a match.
    End,
    /// The result is unknown, because the automaton does not know this character.
    Lost,
}

impl FormSearch<'_> {
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

    /// Follows one byte. Returns `None` if states were dropped because the memory is full.
    fn next(&mut self, state: LazyStateID, byte: u8) -> Option<Transition> {
        let next = self.automaton.next_state(&mut self.memory.cache, state, byte).ok()?;
        if self.memory.cache.clear_count() > 0 {
            return None;
        }
        self.found |= next.is_match();
        self.failed |= next.is_dead();
        Some(match () {
            () if next.is_quit() => Transition::Lost,
            () if next.is_match() || next.is_dead() => Transition::End,
            () => Transition::State(next),
        })
    }

    /// Returns the states after `text`.
    fn follow(&mut self, mut states: Vec<LazyStateID>, text: &[u8]) -> Option<Vec<LazyStateID>> {
        for byte in text {
            let mut after = Vec::with_capacity(states.len());
            for state in states {
                match self.next(state, *byte)? {
                    Transition::State(next) if !after.contains(&next) => after.push(next),
                    Transition::State(_) | Transition::End => {}
                    Transition::Lost => return None,
                }
            }
            states = after;
        }
        Some(states)
    }

    /// Returns the states after any text. If `is_filled`, the text is not empty and has no blanks.
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

    /// Returns the states after any text from one state. `None` if there are too many, or as soon as the result of the
    /// search is uncertain anyway.
    fn explore(&mut self, start: LazyStateID, is_filled: bool) -> Option<ReachedStates> {
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
                if let Transition::State(next) = self.next(state, byte)? {
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
        Some(ReachedStates { states, found, failed })
    }

    /// Follows the end of the form from the states after its unknown part.
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
