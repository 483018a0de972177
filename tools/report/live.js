  /* ---- a page that berth serve serves: it asks, and follows the cluster ---- */
  function ask() {
    var place = make('input', { id: 'place', name: 'namespace', value: 'default', autocomplete: 'off', spellcheck: 'false' });
    var text = make('textarea', { id: 'manifest', name: 'manifest', rows: '10', spellcheck: 'false', required: '', 'aria-describedby': 'manifest-note' });
    var button = make('button', { type: 'submit' }, 'Will it fit?');
    var result = make('div', { id: 'answer', role: 'status', 'aria-live': 'polite' });
    var form = make('form', {}, [
      make('p', {}, [make('label', { 'for': 'manifest' }, 'Manifest, as for kubectl apply: YAML or JSON'), text]),
      make('p', { id: 'manifest-note', 'class': 'note' }, 'All replicas are placed in addition to what runs. Nothing is written to the cluster.'),
      make('p', {}, [make('label', { 'for': 'place' }, 'Namespace of objects that name none '), place, ' ', button])]);
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      button.disabled = true;
      result.replaceChildren(make('p', {}, 'Asking ...'));
      fetch('v1/fits?namespace=' + encodeURIComponent(place.value || 'default'), { method: 'POST', body: text.value }).then(function (answer) {
        return answer.json();
      }).then(function (said) {
        result.replaceChildren.apply(result, said.error ? [make('p', { 'class': 'bad' }, said.error.message)] : describeFit(said));
      }).catch(function (why) {
        result.replaceChildren(make('p', { 'class': 'bad' }, 'No answer: ' + why.message));
      }).finally(function () { button.disabled = false; });
    });
    var part = make('section', { 'aria-labelledby': 'ask' }, [make('h2', { id: 'ask' }, 'Will it fit?'), form, result]);
    return part;
  }
  function describeFit(said) {
    var out = [make('p', said.fits ? {} : { 'class': 'bad' },
      said.fits ? (said.wanted === 1 ? 'The pod fits.' : 'All ' + whole(said.wanted) + ' pods fit.')
        : whole(said.placed) + ' of ' + whole(said.wanted) + ' pods fit.')];
    var shown = said.pods.slice(0, 100);
    out.push(table('Pods', [['Pod'], ['Node'], ['Why not']], shown.map(function (pod) {
      return [pod.namespace + '/' + pod.name, pod.node || 'none', pod.message || ''];
    })));
    if (said.pods.length > shown.length) out.push(make('p', { 'class': 'note' }, 'And ' + whole(said.pods.length - shown.length) + ' more.'));
    return out;
  }
  /* Changes are shown soon (a large cluster is asked about less often), except while somebody is at work in
     what would be drawn anew. */
  function follow() {
    var status = make('p', { id: 'state', role: 'status' }), newest = '', shown = '', busy = false, rest = 0;
    var renew = make('button', { type: 'button', hidden: '' }, 'Show the newest state');
    function say(words) { status.textContent = words; }
    function fresh() {
      if (busy) return;
      busy = true;
      var wanted = newest, began = Date.now();
      fetch('v1/report').then(function (answer) {
        if (!answer.ok) throw new Error('status ' + answer.status);
        return answer.json();
      }).then(function (read) {
        data = read;
        hideTip();
        main.replaceChildren();
        showCluster();
        shown = wanted;
        renew.hidden = true;
        say('The cluster as of ' + new Date().toLocaleTimeString() + '.');
      }).catch(function (why) { say('The newest state cannot be read: ' + why.message); }).finally(function () {
        busy = false;
        rest = Date.now() + Math.max(1000, 20 * (Date.now() - began));
      });
    }
    renew.addEventListener('click', fresh);
    var events = new EventSource('v1/changes');
    events.addEventListener('message', function (event) {
      newest = event.data;
      if (shown === '') { shown = newest; say('The cluster as of ' + new Date().toLocaleTimeString() + '.'); return; }
      if (newest === shown || Date.now() < rest) return;
      if (!main.contains(document.activeElement)) { fresh(); return; }
      renew.hidden = false;
      say('The cluster has changed.');
    });
    return make('div', { 'class': 'live' }, [status, renew]);
  }
  if (document.body.getAttribute('data-live') === 'yes') {
    var all = main;
    main = make('div');
    all.append(follow(), ask(), main);
  }

