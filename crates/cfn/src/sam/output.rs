//! The resources and conditions of the transformed template.

use foldhash::HashMap;

use crate::sam::build::{Draft, Fields, get, located, text};
use crate::sam::references::References;
use crate::text::Span;
use crate::value::{Member, Object, Str, Value};

/// The template while resources are being generated.
pub(super) struct Output {
    /// The resources at each position of the original template, and at the end those that no single resource generates.
    slots: Vec<Vec<OutputResource>>,
    /// The slot and the index of each resource by its ID.
    index: HashMap<Str, (usize, usize)>,
    pub(super) conditions: Fields,
    pub(super) references: References,
    paths: HashMap<Str, Str>,
}

/// A resource of the transformed template.
enum OutputResource {
    /// A resource of the original template, unchanged.
    Written(Member),
    Generated(Draft),
}

impl Output {
    pub(super) fn new(resources: &[Member]) -> Self {
        let mut slots: Vec<Vec<OutputResource>> = Vec::with_capacity(resources.len() + 1);
        let mut index = HashMap::default();
        for (slot, member) in resources.iter().enumerate() {
            index.insert(member.key.clone(), (slot, 0));
            slots.push(vec![OutputResource::Written(member.clone())]);
        }
        slots.push(Vec::new());
        let conditions = Fields::default();
        Self { slots, index, conditions, references: References::default(), paths: HashMap::default() }
    }

    /// Returns the slot after all resources of the original template.
    pub(super) fn last(&self) -> usize {
        self.slots.len().saturating_sub(1)
    }

    /// Returns the resource of this name as the original template declares it, unless it was replaced.
    pub(super) fn written(&self, id: &str) -> Option<&Value> {
        let (slot, at) = *self.index.get(id)?;
        match self.slots.get(slot)?.get(at)? {
            OutputResource::Written(member) => Some(&member.value),
            OutputResource::Generated(_) => None,
        }
    }

    /// Returns the type and the properties of a resource of the transformed template.
    pub(super) fn resource(&self, id: &str) -> Option<(Str, Fields)> {
        let (slot, at) = *self.index.get(id)?;
        match self.slots.get(slot)?.get(at)? {
            OutputResource::Written(member) => {
                let properties = get(&member.value, "Properties").map(Fields::from_value).unwrap_or_default();
                Some((text(&member.value, "Type")?.clone(), properties))
            }
            OutputResource::Generated(draft) => Some((Str::from(draft.kind), draft.properties.clone())),
        }
    }

    /// Replaces a resource that the original template declares.
    pub(super) fn rewrite(&mut self, id: &str, body: Value) {
        let Some(&(slot, at)) = self.index.get(id) else { return };
        if let Some(OutputResource::Written(member)) = self.slots.get_mut(slot).and_then(|slot| slot.get_mut(at)) {
            member.value = body;
        }
    }

    /// Removes a resource of the original template, because others are generated instead.
    pub(super) fn remove(&mut self, slot: usize) {
        let Some(entries) = self.slots.get_mut(slot) else { return };
        for entry in entries.extract_if(.., |entry| matches!(entry, OutputResource::Written(_))) {
            if let OutputResource::Written(member) = entry {
                self.index.remove(&member.key);
            }
        }
    }

    /// Adds a generated resource. It replaces another generated one of the same name, but none that the author
    /// declared.
    pub(super) fn add(&mut self, slot: usize, draft: Draft) {
        if let Some(&(slot, at)) = self.index.get(&draft.id) {
            if let Some(entry @ OutputResource::Generated(_)) =
                self.slots.get_mut(slot).and_then(|slot| slot.get_mut(at))
            {
                *entry = OutputResource::Generated(draft);
            }
            return;
        }
        if let Some(entries) = self.slots.get_mut(slot) {
            self.index.insert(draft.id.clone(), (slot, entries.len()));
            self.paths.insert(draft.id.clone(), draft.origin.path.clone());
            entries.push(OutputResource::Generated(draft));
        }
    }

    /// Returns the transformed template, and the paths of the generated resources.
    pub(super) fn finish(self, template: &Object, span: Option<Span>) -> (Value, HashMap<Str, Str>) {
        let Self { slots, conditions, references, paths, .. } = self;
        let member = |entry| match entry {
            OutputResource::Written(member) => member,
            OutputResource::Generated(draft) => draft.into_member(),
        };
        let resources: Vec<Member> = slots.into_iter().flatten().map(member).collect();
        let mut fields = Fields::default();
        for member in template.iter().filter(|member| *member.key != *"Globals") {
            let value = match &*member.key {
                "Resources" => Value { span: member.value.span, ..Value::object(resources.clone()) },
                "Conditions" => with_conditions(&member.value, &conditions),
                _ => member.value.clone(),
            };
            fields.put(Member { value: references.applied(&value), ..member.clone() });
        }
        if !fields.has("Conditions") && conditions.len() > 0 {
            fields.set("Conditions", located(conditions.into_value(), span));
        }
        (Value { span, ..fields.into_value() }, paths)
    }
}

fn with_conditions(declared: &Value, added: &Fields) -> Value {
    let mut fields = Fields::from_value(declared);
    for member in added.iter() {
        fields.put(Member { value: located(member.value.clone(), declared.span), ..member.clone() });
    }
    Value { span: declared.span, ..fields.into_value() }
}
