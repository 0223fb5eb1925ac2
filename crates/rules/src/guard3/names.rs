//! Interned names of a rules file.

use foldhash::HashMap;

/// A name of a variable or a rule, compared as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name(u32);

/// All names of a file.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<Box<str>>,
    known: HashMap<Box<str>, Name>,
}

impl Names {
    /// Returns the number of a text, and assigns one to a new text.
    pub(super) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.into());
        self.known.insert(text.into(), name);
        name
    }

    /// Returns the text of a name of this file.
    pub(super) fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }
}
