(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('data').textContent);
  var main = document.getElementById('content');
  var tip = document.getElementById('tip');
  var SVG = 'http://www.w3.org/2000/svg';

  /* Makes an element. Every text goes in as text, never as markup. */
  function make(name, attributes, children) {
    var element = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    [].concat(children === undefined ? [] : children).forEach(function (child) {
      element.append(child instanceof Node ? child : String(child));
    });
    return element;
  }
  function draw(name, attributes, text) {
    var element = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function section(id, title) {
    var part = make('section', { 'aria-labelledby': id }, make('h2', { id: id }, title));
    main.append(part);
    return part;
  }
  function cards(list) {
    main.append(make('ul', { 'class': 'cards' }, list.map(function (one) {
      return make('li', one[2] ? { 'class': 'bad' } : {}, [make('b', {}, one[1]), one[0]]);
    })));
  }
  /* A column is [title, whether it holds numbers]. A cell is a text or an element. */
  function table(caption, columns, rows) {
    var head = make('tr', {}, columns.map(function (column) {
      return make('th', column[1] ? { scope: 'col', 'class': 'n' } : { scope: 'col' }, column[0]);
    }));
    var body = make('tbody', {}, rows.map(function (row) {
      return make('tr', {}, row.map(function (cell, i) {
        if (i === 0 && !columns[0][1]) return make('th', { scope: 'row', 'class': 't' }, cell);
        return make('td', { 'class': columns[i][1] ? 'n' : 't' }, cell);
      }));
    }));
    var scroll = make('div', { 'class': 'scroll', role: 'region', tabindex: '0', 'aria-label': caption },
      make('table', {}, [make('caption', {}, caption), make('thead', {}, head), body]));
    return scroll;
  }

  /* ---- numbers ---- */
  function whole(number) { return Math.round(number).toLocaleString('en-US'); }
  /* One decimal, rounded as printf does in berth schedule: a tie goes to the even digit. */
  function decimal(number) {
    var text = number % 1 === 0.25 ? Math.floor(number) + '.2' : number.toFixed(1);
    return text.replace(/\B(?=(\d{3})+\.)/g, ',');
  }
  function isBytes(resource) { return resource === 'memory' || resource === 'ephemeral-storage' || resource.indexOf('hugepages-') === 0; }
  function amount(resource, value) {
    if (resource === 'cpu') return decimal(value / 1000);
    if (!isBytes(resource) || value < 1024) return whole(value);
    var units = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'], unit = 0;
    for (value /= 1024; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
    return decimal(value) + units[unit];
  }
  function percent(part, all) { return all > 0 ? decimal(100 * part / all) + '%' : 'none'; }
  function bar(part, all) {
    var share = all > 0 ? part / all : 0;
    var fill = make('i', share > 1 ? { 'class': 'over' } : {});
    fill.style.width = Math.min(100, 100 * share) + '%';
    return make('span', { 'class': 'bar', 'aria-hidden': 'true' }, fill);
  }

  /* ---- a cluster ---- */
  function heat(requested, allocatable) {
    if (allocatable <= 0) return 'none';
    var share = requested / allocatable;
    return share > 1 ? 'c6' : 'c' + Math.min(5, Math.floor(share * 6));
  }
  /* Nodes that take no pods have a state and notes that say why. */
  var stateNames = { tainted: 'tainted', cordoned: 'cordoned', notReady: 'not ready' };
  function podCount(node) { return whole(node[2]) + (node[2] === 1 ? ' pod' : ' pods'); }
  function notes(node) { return (node[5] || []).join(', '); }
  function describe(node) {
    var lines = [node[0], podCount(node)].concat(node[5] || []);
    data.resources.forEach(function (resource, r) {
      var has = node[3][2 * r + 1], asked = node[3][2 * r];
      if (has > 0 || asked > 0)
        lines.push(resource.name + ' ' + percent(asked, has) + ': ' + amount(resource.name, asked) + ' of ' + amount(resource.name, has));
    });
    return lines;
  }
  /* Small clusters show names. The domain that all nodes share is left out. */
  var NAMED_MAX = 60, READ_MAX = 30, SHUT_MAX = 100, FOUND_MAX = 100;
  function commonDomain() {
    var first = data.nodes[0] ? data.nodes[0][0] : '', dot = first.indexOf('.'), domain = dot > 0 ? first.slice(dot) : '';
    return data.nodes.every(function (node) { return domain === '' || node[0].slice(-domain.length) === domain; }) ? domain : '';
  }
  function shortName(node, domain) { return node[0].slice(0, node[0].length - domain.length); }
  /* The names of a node's pods, as far as they fit into a sentence. */
  function podNames(node) {
    var names = data.pods ? data.pods[data.nodes.indexOf(node)] : [], left = names.length - READ_MAX;
    return names.length === 0 ? '' : '. Its pods: ' + names.slice(0, READ_MAX).join(', ') + (left > 0 ? ' and ' + whole(left) + ' more' : '');
  }
  function showTip(cell, text) {
    tip.textContent = text;
    tip.hidden = false;
    var at = cell.getBoundingClientRect(), size = tip.getBoundingClientRect();
    var left = Math.max(4, Math.min(at.left, innerWidth - size.width - 4));
    var top = at.bottom + 6 + size.height < innerHeight ? at.bottom + 6 : at.top - size.height - 6;
    tip.style.left = left + 'px';
    tip.style.top = Math.max(4, top) + 'px';
  }
  function hideTip() { tip.hidden = true; }

  /* The nodes of a zone as one list. The tab key stops at it once; arrow keys move within it. */
  function zoneMap(name, nodes, state) {
    var list = make('ul', { 'class': 'map', role: 'listbox', 'aria-label': 'Nodes of ' + name + ', by use' });
    function cells() { return list.children; }
    function paint() {
      var ordered = nodes.slice();
      if (state.byUse) ordered.sort(function (a, b) {
        function share(node) { return node[3][2 * state.resource + 1] > 0 ? node[3][2 * state.resource] / node[3][2 * state.resource + 1] : -1; }
        return share(b) - share(a);
      });
      list.replaceChildren.apply(list, []);
      var all = document.createDocumentFragment();
      ordered.forEach(function (node, i) {
        var asked = node[3][2 * state.resource], has = node[3][2 * state.resource + 1];
        var use = data.resources[state.resource].name + ' ' + percent(asked, has);
        var cell = make('li', {
          role: 'option', 'aria-selected': 'false', tabindex: i === 0 ? '0' : '-1',
          'aria-label': [node[0], use, podCount(node)].concat(node[5] || []).join(', ')
        });
        if (state.named)
          cell.append(make('i', { 'class': heat(asked, has) }), make('b', {}, shortName(node, state.domain)), make('span', {}, use + (node[4] ? ', ' + stateNames[node[4]] : '')));
        else cell.className = heat(asked, has);
        if (node[4]) cell.classList.add('shut');
        cell.node = node;
        all.append(cell);
      });
      list.append(all);
    }
    function choose(cell) {
      Array.prototype.forEach.call(list.querySelectorAll('[aria-selected=true]'), function (one) { one.setAttribute('aria-selected', 'false'); one.tabIndex = -1; });
      if (cells()[0]) cells()[0].tabIndex = -1;
      cell.setAttribute('aria-selected', 'true');
      cell.tabIndex = 0;
      state.read.textContent = describe(cell.node).join(', ') + podNames(cell.node);
      showTip(cell, describe(cell.node).join('\n'));
    }
    function below(cell, sign) {
      var at = cell.getBoundingClientRect(), next = cell;
      while ((next = sign > 0 ? next.nextElementSibling : next.previousElementSibling)) {
        var box = next.getBoundingClientRect();
        if (sign * (box.top - at.top) > 2 && sign * (box.left - at.left) >= -2 * sign && Math.abs(box.left - at.left) < box.width) return next;
      }
      return null;
    }
    list.addEventListener('keydown', function (event) {
      var cell = event.target, next = null;
      if (event.key === 'ArrowRight') next = cell.nextElementSibling;
      else if (event.key === 'ArrowLeft') next = cell.previousElementSibling;
      else if (event.key === 'ArrowDown') next = below(cell, 1);
      else if (event.key === 'ArrowUp') next = below(cell, -1);
      else if (event.key === 'Home') next = cells()[0];
      else if (event.key === 'End') next = cells()[cells().length - 1];
      else return;
      event.preventDefault();
      if (next) next.focus();
    });
    list.addEventListener('focusin', function (event) { if (event.target.node) choose(event.target); });
    list.addEventListener('focusout', hideTip);
    function cellOf(event) { return event.target.closest('li'); }
    list.addEventListener('mouseover', function (event) { if (cellOf(event)) showTip(cellOf(event), describe(cellOf(event).node).join('\n')); });
    list.addEventListener('mouseout', hideTip);
    list.addEventListener('click', function (event) { if (cellOf(event)) cellOf(event).focus(); });
    paint();
    return { element: list, paint: paint };
  }
  function choices(legend, name, options, chosen, onChange) {
    return make('fieldset', {}, [make('legend', {}, legend)].concat(options.map(function (option, i) {
      var input = make('input', { type: 'radio', name: name, value: i });
      if (i === chosen) input.checked = true;
      input.addEventListener('change', function () { onChange(i); });
      return make('label', {}, [input, ' ' + option]);
    })));
  }
  function legendOf() {
    var texts = ['below 17%', 'to 33%', 'to 50%', 'to 67%', 'to 83%', 'to 100%', 'above'];
    return make('ul', { 'class': 'key', 'aria-label': 'Colours' }, texts.map(function (text, i) {
      return make('li', {}, [make('i', { 'class': 'c' + i }), text]);
    }).concat(make('li', {}, [make('i', { 'class': 'none' }), 'has none']),
      data.nodes.some(function (node) { return node[4]; }) ? make('li', {}, [make('i', { 'class': 'c0 shut' }), 'cordoned, tainted or not ready']) : []));
  }
  function zoneName(z) { return data.zones[z] === '-' ? 'no zone' : data.zones[z]; }
  function byZone() {
    var groups = data.zones.map(function () { return []; });
    data.nodes.forEach(function (node) { groups[node[1]].push(node); });
    return groups;
  }
  function sum(nodes, at) { return nodes.reduce(function (all, node) { return all + node[3][at]; }, 0); }

  function showMap(groups) {
    var part = section('map', 'Nodes');
    var state = { resource: 0, byUse: false, named: data.nodes.length <= NAMED_MAX, domain: commonDomain(), read: make('p', { 'class': 'read', 'aria-live': 'polite' }) };
    var maps = groups.map(function (nodes, z) { return zoneMap(zoneName(z), nodes, state); });
    function paint() { maps.forEach(function (map) { map.paint(); }); }
    part.append(choices('Colour by use of', 'resource', data.resources.map(function (r) { return r.name; }), 0, function (i) { state.resource = i; paint(); }),
      choices('Order', 'order', ['as searched', 'by use'], 0, function (i) { state.byUse = i === 1; paint(); }),
      legendOf(), make('p', { 'class': 'note' }, 'Tab to a zone, arrow keys from node to node.'), state.read);
    if (data.nodes.length > 400) part.classList.add('many');
    if (state.named) part.classList.add('named');
    groups.forEach(function (nodes, z) {
      part.append(make('h3', {}, zoneName(z) + ': ' + whole(nodes.length) + (nodes.length === 1 ? ' node' : ' nodes')), maps[z].element);
    });
    var all = make('details', {}, make('summary', {}, 'All nodes as a table'));
    all.addEventListener('toggle', function () {
      if (!all.open || all.children.length > 1) return;
      all.append(table('Requested of allocatable, by node', [['Node'], ['Zone'], ['State'], ['Pods', true]].concat(data.resources.map(function (r) { return [r.name, true]; })),
        data.nodes.map(function (node) {
          return [node[0], zoneName(node[1]), notes(node), whole(node[2])].concat(data.resources.map(function (r, i) {
            return amount(r.name, node[3][2 * i]) + ' of ' + amount(r.name, node[3][2 * i + 1]);
          }));
        })));
    });
    part.append(all);
  }
  function showUse(groups) {
    var part = section('use', 'Use by zone and resource');
    var rows = groups.map(function (nodes, z) { return [zoneName(z), nodes]; });
    if (rows.length > 1) rows.push(['all', data.nodes]);
    part.append(table('Share requested', [['Zone'], ['Nodes', true]].concat(data.resources.map(function (r) { return [r.name, true]; })),
      rows.map(function (row) {
        return [row[0], whole(row[1].length)].concat(data.resources.map(function (r, i) {
          var asked = sum(row[1], 2 * i), has = sum(row[1], 2 * i + 1);
          return make('span', {}, [percent(asked, has), bar(asked, has)]);
        }));
      })));
  }
  function showFree() {
    var part = section('free', 'Free capacity');
    var shut = Object.keys(stateNames).filter(function (state) { return data.counts.nodesByState[state] > 0; });
    part.append(table('What is free on nodes that take pods, how much of it on one node at most' + (shut.length > 0 ? ', what is free on nodes that do not take them' : '') +
      ', and how much of what is free on all nodes is of no use to an average pod of the cluster',
      [['Resource'], ['Allocatable', true], ['Requested', true], ['Free', true], ['Most on a node', true]].concat(shut.map(function (state) {
        return ['Free, but ' + stateNames[state], true];
      }), [['Fragmentation', true]]),
      data.resources.map(function (r) {
        return [r.name, amount(r.name, r.allocatable), amount(r.name, r.requested), amount(r.name, r.free.open), amount(r.name, r.mostFree)].concat(shut.map(function (state) {
          return amount(r.name, r.free[state]);
        }), [decimal(100 * r.fragmentation) + '%']);
      })));
    if (shut.indexOf('tainted') >= 0) part.append(make('p', { 'class': 'note' }, 'Pods that tolerate its taint can use what is free on a tainted node.'));
    if (shut.length > 0) part.append(shutTable());
  }
  /* Folded where it is long. */
  function shutTable() {
    var nodes = data.nodes.filter(function (node) { return node[4]; }), title = 'Nodes that do not take pods (' + whole(nodes.length) + ')';
    var list = table(title + (nodes.length > SHUT_MAX ? ': the first ' + SHUT_MAX : ''), [['Node'], ['Zone'], ['Why']], nodes.slice(0, SHUT_MAX).map(function (node) {
      return [node[0], zoneName(node[1]), notes(node)];
    }));
    return nodes.length > 12 ? make('details', {}, [make('summary', {}, title), list]) : list;
  }

  /* ---- search ---- */
  function findAll(text) {
    var wanted = text.toLowerCase(), found = [];
    function has(name) { return name.toLowerCase().indexOf(wanted) >= 0; }
    data.nodes.forEach(function (node, n) {
      if (has(node[0])) found.push(['node ' + node[0], podCount(node), notes(node)]);
      (data.pods ? data.pods[n] : []).forEach(function (pod) { if (has(pod)) found.push(['pod ' + pod, 'on ' + node[0], notes(node)]); });
    });
    data.reasons.forEach(function (group) {
      group.examples.forEach(function (pod) { if (has(pod)) found.push(['pod ' + pod, 'without a place', group.reason]); });
    });
    return found;
  }
  function showSearch() {
    var part = section('search', 'Search');
    var field = make('input', { type: 'search', id: 'find', autocomplete: 'off', spellcheck: 'false' });
    var said = make('p', { 'class': 'note', 'aria-live': 'polite' }), results = make('div');
    field.addEventListener('input', function () {
      var text = field.value.trim(), found = text === '' ? [] : findAll(text);
      results.replaceChildren();
      said.textContent = text === '' ? '' : found.length === 0 ? 'Nothing has this in its name.' : whole(found.length) + ' found' + (found.length > FOUND_MAX ? ', the first ' + FOUND_MAX + ' are shown' : '');
      if (found.length > 0) results.append(table('Found', [['Name'], ['Where'], ['Notes']], found.slice(0, FOUND_MAX)));
    });
    part.append(make('label', { 'for': 'find' }, data.pods ? 'A part of the name of a node or a pod: ' : 'A part of the name of a node: '), field, said, results);
  }

  function showReasons() {
    var part = section('reasons', 'Pods without a place');
    var groups = data.reasons.slice().sort(function (a, b) { return b.pods - a.pods; });
    if (groups.length === 0) { part.append(make('p', {}, 'Every pod has a place.')); return; }
    part.append(table('By what the nodes lack after all other pods are placed', [['Reason'], ['Pods', true], ['Which']], groups.map(function (group) {
      var names = group.examples.join(', ');
      var which = group.examples.length <= 3 ? names
        : make('details', {}, [make('summary', {}, group.examples.slice(0, 2).join(', ') + ' ...'), names + (group.pods > group.examples.length ? ' and ' + whole(group.pods - group.examples.length) + ' more' : '')]);
      return [group.reason, make('span', {}, [whole(group.pods), bar(group.pods, groups[0].pods)]), which];
    })));
  }
  /* At least two decimals, and at most four. */
  function price(number) { return number.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 }); }
  function showCost() {
    var cost = data.cost, part = section('cost', 'Cost');
    part.append(table('What the nodes cost, and the part of it that nothing requests', [['Cost'], ['An hour', true], ['A month of 730 hours', true], ['Share', true]], [
      ['all nodes', price(cost.perHour), price(cost.perMonth), ''],
      ['requested', price(cost.perHour - cost.idlePerHour), price(cost.perMonth - cost.idlePerMonth), percent(cost.perHour - cost.idlePerHour, cost.perHour)],
      ['idle', price(cost.idlePerHour), price(cost.idlePerMonth), percent(cost.idlePerHour, cost.perHour)]
    ]));
    part.append(make('p', { 'class': 'note' }, 'A node is idle by the mean of the shares of its cpu and memory that nothing requests.' +
      (cost.nodesWithoutPrice > 0 ? ' Nodes that have no price, and are left out: ' + whole(cost.nodesWithoutPrice) + '.' : '')));
  }
  function showCluster() {
    var counts = data.counts, groups = byZone();
    var states = Object.keys(stateNames).filter(function (state) { return counts.nodesByState[state] > 0; }).map(function (state) {
      return ['nodes ' + stateNames[state], whole(counts.nodesByState[state]), state === 'notReady'];
    });
    cards([['nodes', whole(counts.nodes)], ['nodes in use', whole(counts.nodesInUse)]].concat(states, [['pods', whole(counts.pods)],
      ['were pending', whole(counts.pending)], ['of them placed', whole(counts.placed)],
      ['without a place', whole(counts.notPlaced), counts.notPlaced > 0]], counts.passedOver > 0 ? [['skipped', whole(counts.passedOver)]] : []));
    showReasons();
    showUse(groups);
    showFree();
    if (data.cost) showCost();
    showSearch();
    showMap(groups);
  }

  /* ---- a replay ---- */
  function duration(seconds) {
    var days = Math.floor(seconds / 86400), hours = Math.floor(seconds / 3600) % 24, minutes = Math.floor(seconds / 60) % 60;
    if (days > 0) return days + ' d ' + hours + ' h';
    if (hours > 0) return hours + ' h ' + minutes + ' min';
    if (minutes > 0) return minutes + ' min ' + Math.floor(seconds % 60) + ' s';
    return Number(seconds.toFixed(3)) + ' s';
  }
  /* The top of a scale whose quarters are whole numbers that read well. */
  function niceTop(most) {
    var step = 1;
    while (4 * step < most) {
      var digits = String(step);
      step = digits[0] === '2' ? step * 2.5 : step * 2;
    }
    return 4 * step;
  }
  /* A scale of shares, written as percentages: its quarters are 1, 2, 2.5 or 5 times a power of ten, with
     as many digits as it takes to tell them apart, and values have one digit more. */
  function shareScale(most) {
    var steps = [1, 2, 2.5, 5], power = -4, at = 0;
    while (4 * steps[at] * Math.pow(10, power) < 100 * most * (1 - 1e-9)) {
      at = (at + 1) % steps.length;
      if (at === 0) power++;
    }
    var digits = Math.max(0, (steps[at] === 2.5 ? 1 : 0) - power);
    function writer(places) { return function (share) { return (100 * share).toFixed(places) + '%'; }; }
    return { top: 4 * steps[at] * Math.pow(10, power) / 100, label: writer(digits), value: writer(digits + 1) };
  }
  /* Lines differ by their dashes, too, for readers who see no colours. */
  var dashes = ['', '7 3', '2 3', '9 3 2 3', '4 4', '1 2'];
  function chart(part, title, names, series, shares) {
    var rows = data.series.rows, width = 720, height = 200, left = 60, bottom = 24, top = 10, right = 10;
    var from = rows[0][0], to = rows[rows.length - 1][0], most = 0;
    series.forEach(function (of) { rows.forEach(function (row) { most = Math.max(most, of(row)); }); });
    if (most <= 0) most = 1;
    var scale = shares ? shareScale(most) : { top: niceTop(most), label: whole, value: whole };
    most = scale.top;
    function x(time) { return left + (to > from ? (time - from) / (to - from) : 0) * (width - left - right); }
    function y(value) { return height - bottom - value / most * (height - top - bottom); }
    var svg = draw('svg', { 'class': 'chart', viewBox: '0 0 ' + width + ' ' + height, role: 'img', tabindex: '0',
      'aria-label': title + ': a chart; left and right arrow keys read it, the table below has its numbers' });
    for (var i = 0; i <= 4; i++) {
      svg.append(draw('line', { 'class': 'grid', x1: left, x2: width - right, y1: y(most * i / 4), y2: y(most * i / 4) }),
        draw('text', { x: left - 6, y: y(most * i / 4) + 4, 'text-anchor': 'end' }, scale.label(most * i / 4)));
    }
    [0, 0.5, 1].forEach(function (share) {
      svg.append(draw('text', { x: left + share * (width - left - right), y: height - 7, 'text-anchor': share === 0 ? 'start' : share === 1 ? 'end' : 'middle' }, duration((to - from) * share)));
    });
    series.forEach(function (of, s) {
      var line = '', before = null;
      rows.forEach(function (row) {
        line += (before === null ? 'M' : 'H' + x(row[0]).toFixed(1) + 'V') + (before === null ? x(row[0]).toFixed(1) + ',' : '') + y(of(row)).toFixed(1);
        before = row;
      });
      svg.append(draw('path', { d: line, style: 'stroke:var(--s' + s % 6 + ')', 'stroke-dasharray': dashes[s % 6] }));
    });
    var cursor = draw('line', { 'class': 'cursor', y1: top, y2: height - bottom, visibility: 'hidden' }), at = 0;
    svg.append(cursor);
    var read = make('p', { 'class': 'read', 'aria-live': 'polite' });
    function show(number) {
      at = Math.max(0, Math.min(rows.length - 1, number));
      var position = x(rows[at][0]);
      cursor.setAttribute('x1', position);
      cursor.setAttribute('x2', position);
      cursor.setAttribute('visibility', 'visible');
      read.textContent = 'after ' + duration(rows[at][0] - from) + ': ' + names.map(function (name, s) { return name + ' ' + scale.value(series[s](rows[at])); }).join(', ');
    }
    svg.addEventListener('keydown', function (event) {
      var step = Math.max(1, Math.round(rows.length / 50));
      if (event.key === 'ArrowRight') show(at + step);
      else if (event.key === 'ArrowLeft') show(at - step);
      else if (event.key === 'Home') show(0);
      else if (event.key === 'End') show(rows.length - 1);
      else return;
      event.preventDefault();
    });
    svg.addEventListener('pointermove', function (event) {
      var box = svg.getBoundingClientRect(), time = from + ((event.clientX - box.left) / box.width * width - left) / (width - left - right) * (to - from), number = 0;
      while (number + 1 < rows.length && rows[number + 1][0] <= time) number++;
      show(number);
    });
    part.append(make('h3', {}, title), make('ul', { 'class': 'key', 'aria-label': 'Lines' }, names.map(function (name, s) {
      var mark = draw('svg', { width: 28, height: 8, 'aria-hidden': 'true' });
      mark.append(draw('path', { d: 'M0,4H28', style: 'stroke:var(--s' + s % 6 + ')', 'stroke-dasharray': dashes[s % 6] }));
      return make('li', {}, [mark, ' ' + name]);
    })), svg, read);
    var every = Math.max(1, Math.floor(rows.length / 60));
    part.append(make('details', {}, [make('summary', {}, title + ' as a table'), table(title, [['After']].concat(names.map(function (name) { return [name, true]; })),
      rows.filter(function (row, i) { return i % every === 0 || i === rows.length - 1; }).map(function (row) {
        return [duration(row[0] - from)].concat(series.map(function (of) { return scale.value(of(row)); }));
      }))]));
  }
  function column(name) {
    var at = data.series.columns.indexOf(name);
    return function (row) { return at < 0 ? 0 : row[at]; };
  }
  function showTimelines() {
    var part = section('time', 'Timelines');
    if (data.series.rows.length === 0) { part.append(make('p', {}, 'The series has no row.')); return; }
    var resources = data.series.columns.filter(function (name) { return / share$/.test(name); }).map(function (name) { return name.slice(0, -6); });
    chart(part, 'Pods', ['running', 'waiting'], [column('running'), column('waiting')], false);
    chart(part, 'Nodes', ['nodes'], [column('nodes')], false);
    chart(part, 'Use', resources, resources.map(function (name) { return column(name + ' share'); }), true);
    chart(part, 'Fragmentation', resources, resources.map(function (name) { return column(name + ' fragmentation'); }), true);
  }
  function showReplay() {
    var report = data.report, waits = report.waitSeconds || {}, outcomes = report.outcomes || {};
    cards([['pods', whole(report.pods || 0)], ['placements', whole(report.placements || 0)], ['waiting at the end', whole(outcomes.waiting || 0), outcomes.waiting > 0],
      ['median wait', duration(waits.p50 || 0)], ['99th percentile', duration(waits.p99 || 0)], ['longest wait', duration(waits.max || 0)]]);
    showTimelines();
    section('outcomes', 'What became of the pods').append(table('Pods by outcome', [['Outcome'], ['Pods', true]], Object.keys(outcomes).map(function (name) {
      return [name.replace(/_/g, ' '), whole(outcomes[name])];
    })));
    section('resources', 'Resources').append(table('Use and fragmentation', [['Resource'], ['Mean use', true], ['Peak', true], ['At the end', true], ['Mean fragmentation', true]],
      (report.resources || []).map(function (r) {
        return [r.name].concat([r.meanShare, r.peakShare, r.shareAtEnd, r.meanFragmentation].map(function (share) { return (100 * share).toFixed(2) + '%'; }));
      })));
    var reasons = section('reasons', 'Not placed, and why');
    if ((report.notPlaced || []).length === 0) reasons.append(make('p', {}, 'Every pod was placed in the end.'));
    else reasons.append(table('Pods by reason', [['Reasons'], ['Pods', true], ['For example']], report.notPlaced.map(function (one) { return [one.reasons, whole(one.pods), one.example]; })));
  }

@@LIVE_SCRIPT@@  var about = data.about || data;
  document.getElementById('title').textContent = about.title;
  document.title = about.title + ' - Berth report';
  if (about.kind === 'replay') showReplay(); else showCluster();
  document.addEventListener('keydown', function (event) { if (event.key === 'Escape') hideTip(); });
  addEventListener('scroll', hideTip, { passive: true });
})();
