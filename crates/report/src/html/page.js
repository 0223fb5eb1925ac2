'use strict';
const form = document.querySelector('form');
const shown = document.querySelector('output');
const all = (selector) => [...document.querySelectorAll(selector)];
const items = all('[data-item]');
const nodes = all('[data-node]');
const names = ['severity', 'service', 'rule', 'file', 'outcome'];
// What an element says itself, without what is in the tree below it.
const contents = new Map();
function own(element) {
  if (!contents.has(element)) {
    const parts = element.matches('[data-node]')
      ? element.querySelectorAll(':scope > div, :scope > details > summary, :scope > details > .body') : [element];
    contents.set(element, [...parts].map((part) => part.textContent).join(' ').toLowerCase());
  }
  return contents.get(element);
}
const around = (element) => element.parentElement.closest('[data-node]');
function filter() {
  const wanted = new FormData(form);
  const text = (wanted.get('text') || '').toLowerCase();
  const set = names.filter((name) => wanted.get(name));
  const is_plain = set.length === 0 && text === '';
  const fits = (element) => set.every((name) => (element.dataset[name] || '').split('\n').includes(wanted.get(name)));
  // A finding is found by its resource, too, and a resource by what it is in, where that is only there for it.
  const carries = (element) => around(element) && !(element.dataset.item && around(element).dataset.item);
  const says = (element) => own(element).includes(text) || (carries(element) && own(around(element)).includes(text));
  const is_hit = (element) => is_plain || (fits(element) && says(element));
  items.filter((item) => !item.matches('[data-node]')).forEach((item) => { item.hidden = !is_hit(item); });
  // Nodes come before those that are in them, and stay if one of these does.
  const kept = new Set();
  for (const node of [...nodes].reverse()) {
    node.hidden = !kept.has(node) && !is_hit(node);
    if (!node.hidden && around(node)) {
      kept.add(around(node));
    }
  }
  for (const group of all('[data-group]')) {
    const entries = [...group.querySelectorAll('[data-item], [data-node]')];
    group.hidden = entries.length > 0 && entries.every((entry) => entry.hidden);
    if (!is_plain && !group.hidden) {
      group.open = true;
    }
  }
  if (!is_plain) {
    kept.forEach((node) => { node.querySelector(':scope > details').open = true; });
  }
  const count = (kind) => {
    const known = items.filter((item) => item.dataset.item === kind);
    // One that is only there for what is in it is not a hit.
    const found = known.filter((item) => !item.hidden && is_hit(item)).length;
    return known.length ? [found + ' of ' + known.length + ' ' + (kind === 'entry' ? 'entries' : 'resources')] : [];
  };
  shown.textContent = [...count('entry'), ...count('resource')].join(', ') || 'nothing to show';
}
// A link such as `report.html#severity=high` opens the page with a filter.
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const field = form.elements.namedItem(name);
  if (field && field.type !== 'button') {
    field.value = value;
    if (field.value !== value) {
      field.value = '';
    }
  }
}
for (const name of ['unfold', 'fold']) {
  form.elements.namedItem(name).addEventListener('click', () => {
    all('details').forEach((details) => { details.open = name === 'unfold'; });
  });
}
form.addEventListener('input', filter);
form.addEventListener('submit', (event) => event.preventDefault());
filter();
