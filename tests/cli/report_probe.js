/* A script that the test appends to a report. It uses the page as a person at a keyboard would, and puts
   the result into the title. */
(function () {
  'use strict';
  var said = [];
  function expect(what, is) { if (!is) said.push(what); }
  function press(element, key) { element.dispatchEvent(new KeyboardEvent('keydown', { key: key, bubbles: true, cancelable: true })); }
  // A window that is not active yet moves the focus without an event; this sends the event.
  function tellOfFocus() {
    var move = HTMLElement.prototype.focus;
    HTMLElement.prototype.focus = function () {
      var before = document.activeElement;
      move.call(this);
      if (before === this || document.activeElement !== this) return;
      before.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
      this.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    };
  }
  if (!document.hasFocus()) tellOfFocus();
  function all(selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); }
  expect('something was fetched', performance.getEntriesByType('resource').length === 0);
  expect('a heading is missing', all('h2').length >= 3);
  expect('a table has no caption', all('table').every(function (one) { return one.caption && one.tHead; }));
  expect('an element has no text for a screen reader', all('[role=listbox],[role=option],[role=img],[role=region]').every(function (one) { return one.getAttribute('aria-label'); }));
  expect('markup of an object is markup', all('main script, main img, main b b, h1 *').length === 0);
  all('[role=listbox]').forEach(function (list) {
    var first = list.firstElementChild, second = first.nextElementSibling;
    expect('a zone has not one stop of the tab key', list.querySelectorAll('[tabindex="0"]').length === 1);
    first.focus();
    expect('no tip at the focus', !document.getElementById('tip').hidden && document.getElementById('tip').textContent.indexOf(first.node[0]) === 0);
    expect('nothing is read out', document.querySelector('.read').textContent.indexOf(first.node[0]) === 0);
    if (document.querySelector('.named') && first.node[2] > 0)
      expect('the pods of a node are not named', document.querySelector('.read').textContent.indexOf('. Its pods: ') > 0);
    if (second) {
      press(first, 'ArrowRight');
      expect('the arrow key leads nowhere', document.activeElement === second && second.getAttribute('aria-selected') === 'true');
    }
    press(document.activeElement, 'Escape');
    expect('the tip stays', document.getElementById('tip').hidden);
  });
  var field = document.getElementById('find');
  if (field) {
    var node = document.querySelector('[role=option]').node, shut = all('[role=option]').filter(function (one) { return one.node[4]; });
    field.value = node[0].toUpperCase();
    field.dispatchEvent(new Event('input'));
    expect('a node is not found', all('#search ~ div th[scope=row]').some(function (one) { return one.textContent === 'node ' + node[0]; }));
    field.value = 'no such name/';
    field.dispatchEvent(new Event('input'));
    expect('something is found', all('#search ~ div table').length === 0);
    expect('a node that takes no pods does not say why', shut.every(function (one) {
      return one.classList.contains('shut') && one.getAttribute('aria-label').endsWith(', ' + one.node[5].join(', '));
    }));
    expect('names are missing', all('[role=option]').length > 60 || all('[role=option] b').every(function (one) { return one.textContent !== ''; }));
  }
  all('svg[role=img]').forEach(function (chart) {
    chart.focus();
    press(chart, 'End');
    var labels = Array.prototype.map.call(chart.querySelectorAll('text[text-anchor=end][x="54"]'), function (one) { return one.textContent; });
    expect('labels of an axis are not distinct: ' + labels.join(' '), labels.length === 5 && new Set(labels).size === 5);
    expect('a chart is not read out', chart.nextElementSibling.textContent.indexOf('after ') === 0);
  });
  all('input[name=order]').slice(1).forEach(function (input) { input.click(); });
  all('details').forEach(function (one) { one.open = true; });
  document.title = said.length === 0 ? 'all is well' : said.join('; ');
})();
