'use strict';
const form = document.querySelector('form');
const items = [...document.querySelectorAll('[data-item]')];
const shown = document.querySelector('output');
function filter() {
  const wanted = new FormData(form);
  const text = (wanted.get('text') || '').toLowerCase();
  let count = 0;
  for (const item of items) {
    const fits = ['severity', 'service', 'rule', 'file', 'outcome'].every(
      (name) => !wanted.get(name) || (item.dataset[name] || '').split('\n').includes(wanted.get(name)));
    item.hidden = !fits || !item.textContent.toLowerCase().includes(text);
    count += item.hidden ? 0 : 1;
  }
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = !group.querySelector('[data-item]:not([hidden])') && group.querySelector('[data-item]') !== null;
  }
  shown.textContent = count + ' of ' + items.length + ' shown';
}
// A link such as `report.html#severity=high` opens the page with a filter.
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  if (form.elements[name]) {
    form.elements[name].value = value;
  }
}
form.addEventListener('input', filter);
form.addEventListener('submit', (event) => event.preventDefault());
filter();
