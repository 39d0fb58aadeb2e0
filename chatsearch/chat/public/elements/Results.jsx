// The result list. What a person chooses here (ranking, text, chips, filters, order) happens in the page at once; the server only
// sends the documents, and the view that a command asked for. Numbers are footnote numbers: they stay whatever is chosen.
import { memo, startTransition, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useSetRecoilState } from 'recoil';
import { sideViewState } from '@chainlit/react-client';
import { Renderer } from '@/components/renderer';

const FIRST = 5;
const MORE = 20;
const AT_ONCE = 40; // rows drawn in one go; the others follow in the browser's idle time
const SHOWN_OF_TEXT = 320;
const LONGEST_TEXT = 200000;
const MOST_CHIPS = 8;

// how each list is shown, and the parts that were loaded: both outlive the element, which is made anew when its props change
const LISTS = (globalThis.chatsearchLists = globalThis.chatsearchLists || new Map());
const ORDER = (globalThis.chatsearchOrder = globalThis.chatsearchOrder || []);
const PARTS = (globalThis.chatsearchParts = globalThis.chatsearchParts || {});

const count = (number, one, many) => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const months = (date) => {
  const [year, month] = date.split('-').map(Number);
  return month ? [year * 12 + month - 1, year * 12 + month - 1] : [year * 12, year * 12 + 11];
};

const begin = ({ view = {} }) => ({
  seen: JSON.stringify(view), rank: view.rank, text: view.text, chips: view.chips || [], sort: view.sort || '', descending: !!view.descending,
  filters: (view.filters || []).map((one) => ({ kind: 'command', label: one.label, rows: one.rows })), word: '', shown: FIRST, panel: '',
});

// what was chosen before, unless a command has chosen since; filters made in the page stay
const resume = (old, given) => {
  if (!old) return begin(given);
  const fresh = begin(given);
  if (old.seen === fresh.seen) return old;
  return { ...old, ...fresh, word: old.word, shown: old.shown, panel: old.panel, filters: [...old.filters.filter((one) => one.kind !== 'command'), ...fresh.filters] };
};

const passes = (filter, one, chips) => {
  if (filter.kind === 'chip') return ((one.chips || [])[chips.indexOf(filter.column)] || []).includes(filter.value);
  if (filter.kind === 'time') return !!one.date && months(one.date)[0] <= filter.to && months(one.date)[1] >= filter.from;
  return filter.rows.includes(one.n);
};

// by the chosen ranking; rows without a rank last, ties by number
const byRank = (place) => (one, other) => (one.ranks[place] ?? Infinity) - (other.ranks[place] ?? Infinity) || one.n - other.n;

const sorted = (documents, state, { rankings, chips, date, view }) => {
  const ranked = [...documents].sort(byRank(Math.max(rankings.indexOf(state.rank), 0)));
  if (!state.sort) return ranked;
  if (view.order && view.sort === state.sort && !!view.descending === state.descending) {
    const place = new Map(view.order.map((n, at) => [n, at]));
    return ranked.sort((one, other) => place.get(one.n) - place.get(other.n));
  }
  const chip = chips.indexOf(state.sort);
  const value = (one) => (state.sort === date ? one.date : chip >= 0 ? one.chips[chip].join(', ') : one.title) || '';
  const there = ranked.filter((one) => value(one));
  const numbers = there.every((one) => Number.isFinite(Number(value(one))));
  const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare;
  const turn = state.descending ? -1 : 1;
  there.sort((one, other) => turn * (numbers ? Number(value(one)) - Number(value(other)) : compare(value(one), value(other))));
  return [...there, ...ranked.filter((one) => !value(one))]; // what has no value comes last, either way
};

// a map or a timeline, loaded when it is first opened; `take` gets its component once
const Part = ({ name, ...rest }) => {
  const [Loaded, setLoaded] = useState(() => PARTS[name]);
  const [code, setCode] = useState('');
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (Loaded) return;
    apiClient.get(`/public/elements/${name}.jsx`).then((answer) => answer.text()).then(setCode, () => setFailed(true));
  }, []);
  const handed = useMemo(() => ({ take: (component) => { PARTS[name] = component; setLoaded(() => component); } }), [name]);
  if (Loaded) return <Loaded {...rest} />;
  if (failed) return <p className="cs-line" role="alert">This could not be loaded. Close and open it to try again.</p>;
  return <>{code ? <Renderer sourceCode={code} props={handed} /> : null}<p className="cs-line" role="status">Loading …</p></>;
};

const Choice = ({ label, value, options, focus, onChange }) => (
  <label className="cs-choice">
    <span>{label}</span>
    <select value={value} aria-label={label} data-focus={focus} onChange={(event) => onChange(event.target.value)}>
      {options.map((one) => <option key={one.column} value={one.column}>{one.label}</option>)}
    </select>
  </label>
);

const Moved = ({ by }) => (by ? (
  <small className="cs-moved" data-up={by > 0} title={`${Math.abs(by)} ${by > 0 ? 'higher' : 'lower'} than in the original ranking`}>
    <span aria-hidden="true">{by > 0 ? '▲' : '▼'}{Math.abs(by)}</span>
    <span className="cs-hidden">{Math.abs(by)} {by > 0 ? 'higher' : 'lower'} than originally</span>
  </small>
) : null);

// thumbs: what a person thinks of a result; pressed again it is taken back
const Votes = ({ about, send }) => {
  const [value, setValue] = useState(0);
  const [said, setSaid] = useState('');
  const vote = async (wanted) => {
    const next = wanted === value ? 0 : wanted;
    setValue(next);
    const done = await send(next);
    if (!done) setValue(value);
    setSaid(done ? (next ? 'Thank you' : 'Taken back') : 'This could not be kept');
  };
  const thumb = (wanted, name, turn) => (
    <button type="button" className="cs-vote" aria-pressed={value === wanted} aria-label={`${name}: ${about}`} title={name} data-testid={`vote-${wanted}`} onClick={() => vote(wanted)}>
      <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" style={{ transform: turn }}><path fill={value === wanted ? 'currentColor' : 'none'} stroke="currentColor" strokeWidth="1.75" strokeLinejoin="round" d="M7 10v11H3V10zM7 10l4-8c1.7 0 3 1.3 3 3v4h5.5c1.2 0 2.1 1.1 1.9 2.3l-1.3 8c-.2 1-1 1.7-2 1.7H7" /></svg>
    </button>
  );
  return (
    <span className="cs-votes">
      {thumb(1, 'Good', 'none')}{thumb(-1, 'Not good', 'rotate(180deg)')}
      <span role="status" aria-live="polite">{said}</span>
    </span>
  );
};

const sendVote = async (url, judgement) => {
  try {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(judgement) });
    return answer.ok;
  } catch (broken) {
    return false;
  }
};

const day = (date) => {
  const parts = date.split('-').map(Number);
  const form = [{ year: 'numeric' }, { year: 'numeric', month: 'short' }, { year: 'numeric', month: 'short', day: 'numeric' }][parts.length - 1];
  return new Intl.DateTimeFormat('en-GB', { ...form, timeZone: 'UTC' }).format(new Date(Date.UTC(parts[0], (parts[1] || 1) - 1, parts[2] || 1)));
};

const Row = memo(({ one, text, snippet, moved, columns, shown, active, dateLabel, onChip, onOpen, onVote }) => {
  const chips = columns.flatMap((column, at) => (shown.includes(column.column) ? (one.chips[at] || []).map((value) => [column, value]) : []));
  return (
    <li data-testid="result" data-n={one.n}>
      <span className="cs-n"><span aria-hidden="true">{one.n}</span><Moved by={moved} /></span>
      <div>
        <p className="cs-title">
          <a href={one.href} target="_blank" rel="noopener noreferrer"><span className="cs-hidden">Result {one.n}: </span>{one.title}</a>
          {one.host ? <span className="cs-host">{one.host}</span> : null}
          {one.date ? <time className="cs-host" dateTime={one.date} title={dateLabel}>{day(one.date)}</time> : null}
        </p>
        <p className="cs-snippet">
          {snippet
            ? one.snippet.map(([part, hit], place) => (hit ? <mark key={place}>{part}</mark> : <span key={place}>{part}</span>))
            : (one.texts[text] || '').slice(0, SHOWN_OF_TEXT) + ((one.texts[text] || '').length > SHOWN_OF_TEXT || one.cut[text] ? ' …' : '')}
        </p>
        <p className="cs-chips">
          {chips.slice(0, MOST_CHIPS).map(([column, value], place) => (
            <button
              key={place} type="button" className="cs-chip" aria-pressed={active.includes(`${column.column}\n${value}`)}
              onClick={() => onChip(column, value)} title={`Only results with ${column.label}: ${value}`}
            >
              <span className="cs-chip-name">{column.label}<span className="cs-hidden">:</span> </span>{value}
            </button>
          ))}
          {one.texts[text] ? (
            <button type="button" className="cs-plain" onClick={() => onOpen(one)} aria-label={`Full text of result ${one.n}`}>Full text</button>
          ) : null}
          <Votes about={`result ${one.n}`} send={(value) => onVote(one, value)} />
        </p>
      </div>
    </li>
  );
});

// the whole text from the document's own page; the beginning that is here when the page is gone
const wholeText = async (one, place, column) => {
  if (!one.cut[place]) return { text: one.texts[place], cut: false };
  try {
    const answer = await fetch(`${one.page}${one.page.includes('?') ? '&' : '?'}column=${encodeURIComponent(column)}`);
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const text = [...page.querySelectorAll('article p')].map((part) => part.textContent).join('\n\n');
    return { text: text.slice(0, LONGEST_TEXT), cut: text.length > LONGEST_TEXT };
  } catch (error) {
    return { text: one.texts[place], cut: true };
  }
};

export default function Results() {
  const { documents = [], total = 0, warnings = [], rankings = [], texts = [], chips = [], date = null, snippet = 0, view = {}, key = '', votes = null } = props;
  const [newest, setNewest] = useState(() => !ORDER.includes(key) || ORDER[ORDER.length - 1] === key);
  const [opened, setOpened] = useState(false);
  const [state, setState] = useState(() => resume(LISTS.get(key), props));
  const [drawn, setDrawn] = useState(FIRST);
  const [goal, setGoal] = useState(null); // the number of a row to go to
  const root = useRef(null);
  const setSide = useSetRecoilState(sideViewState);
  const focus = useRef(state.focus || '');
  LISTS.set(key, { ...state, focus: focus.current });
  const patch = (change, few = true) => {
    if (few) setDrawn((now) => Math.min(now, AT_ONCE));
    setState((old) => ({ ...old, ...change }));
  };

  // made anew while a person was in it: the focus goes back to where it was
  useLayoutEffect(() => {
    const place = focus.current && document.activeElement === document.body && root.current.querySelector(`[data-focus="${focus.current}"]`);
    if (place) place.focus({ preventScroll: true });
  }, []);

  // a newer list came: this one takes a line until somebody opens it
  useEffect(() => {
    if (!ORDER.includes(key)) ORDER.push(key);
    const look = () => setNewest(ORDER[ORDER.length - 1] === key);
    globalThis.addEventListener('chatsearch-list', look);
    globalThis.dispatchEvent(new Event('chatsearch-list'));
    return () => globalThis.removeEventListener('chatsearch-list', look);
  }, []);

  const names = useMemo(() => ({ rankings: rankings.map((one) => one.column), chips: chips.map((one) => one.column), date: date && date.column, view }), []);
  const haystacks = useRef(new Map());
  const haystack = (one) => {
    if (!haystacks.current.has(one.n)) haystacks.current.set(one.n, folded([one.title, one.host, one.date || '', ...one.snippet.map(([part]) => part), ...one.texts, ...one.chips.flat()].join(' ')));
    return haystacks.current.get(one.n);
  };
  const word = useDeferredValue(state.word);
  const ordered = useMemo(() => sorted(documents, state, names), [state.rank, state.sort, state.descending]);
  const filtered = (without) => {
    const words = folded(word).split(/\s+/).filter(Boolean);
    const used = state.filters.filter((one) => one.kind !== without);
    return ordered.filter((one) => used.every((filter) => passes(filter, one, names.chips)) && words.every((part) => haystack(one).includes(part)));
  };
  const rows = useMemo(() => filtered(''), [ordered, state.filters, word]);

  // many rows come a few at a time, so that the page answers in between
  const wanted = Math.min(state.shown, rows.length);
  useEffect(() => {
    if (drawn >= wanted) return undefined;
    const later = globalThis.requestIdleCallback || ((then) => setTimeout(then, 16));
    const cancel = globalThis.cancelIdleCallback || clearTimeout;
    const waiting = later(() => startTransition(() => setDrawn(drawn + AT_ONCE)), { timeout: 200 });
    return () => cancel(waiting);
  }, [drawn, wanted]);

  const at = (n) => rows.findIndex((one) => one.n === n);
  const goTo = (n, focused = true) => {
    const place = at(n);
    setState((old) => ({ ...old, shown: Math.max(old.shown, place + 1) }));
    setDrawn((now) => Math.max(now, place + 1));
    setGoal({ n, focused });
  };
  useEffect(() => {
    const row = goal && root.current.querySelector(`li[data-n="${goal.n}"]`);
    if (!row) return;
    if (goal.focused) row.scrollIntoView({ block: 'center' });
    row.querySelector('a').focus({ preventScroll: goal.focused });
    if (goal.focused) row.dataset.found = 'true';
    setGoal(null);
  }, [goal, drawn]);
  const more = (number) => {
    const next = rows[wanted];
    setState((old) => ({ ...old, shown: number }));
    setDrawn((now) => Math.max(now, Math.min(number, wanted + MORE)));
    if (next) setGoal({ n: next.n, focused: false });
  };

  const textAt = Math.max(texts.findIndex((one) => one.column === state.text), 0);
  const hand = useRef({});
  hand.current.open = async (one) => {
    globalThis.chatsearchOpener = document.activeElement;
    const whole = await wholeText(one, textAt, texts[textAt].column);
    setSide({
      title: `${one.n} · ${one.title}`,
      elements: [{ id: `text-${one.n}-${textAt}-${one.page}`, type: 'custom', name: 'Source', display: 'side', props: { ...one, ...whole, check: '' } }],
    });
  };
  hand.current.chip = (column, value) => {
    const same = (one) => one.kind === 'chip' && one.column === column.column && one.value === value;
    const others = state.filters.filter((one) => !same(one));
    patch({ filters: others.length < state.filters.length ? others : [...others, { kind: 'chip', column: column.column, value, label: `${column.label}: ${value}` }] });
  };
  const onOpen = useMemo(() => (one) => hand.current.open(one), []);
  const onVote = useMemo(() => async (one, value) => (
    !!votes && sendVote(votes.url, { set: votes.set, document: decodeURIComponent(one.page.split('/documents/')[1].split('?')[0]), value })
  ), []);
  const onChip = useMemo(() => (column, value) => hand.current.chip(column, value), []);
  const active = useMemo(() => state.filters.filter((one) => one.kind === 'chip').map((one) => `${one.column}\n${one.value}`), [state.filters]);
  const only = (kind, filter) => patch({ filters: [...state.filters.filter((one) => one.kind !== kind), ...(filter ? [{ kind, ...filter }] : [])] });

  const original = names.rankings.indexOf('_original_ranking_');
  const chosen = names.rankings.indexOf(state.rank);
  const moved = (one) => (chosen === original || original < 0 || one.ranks[original] == null || one.ranks[chosen] == null ? 0 : one.ranks[original] - one.ranks[chosen]);
  const sorts = [{ column: '', label: 'relevance' }, { column: 'title', label: 'title' }, ...(date ? [date] : []), ...chips.filter((one) => !date || one.column !== date.column)];
  if (state.sort && !sorts.some((one) => one.column === state.sort)) sorts.push({ column: state.sort, label: state.sort });
  const turnable = state.sort && !(view.order && view.sort === state.sort && !['title', names.date, ...names.chips].includes(state.sort));
  const places = useMemo(() => documents.some((one) => one.places), []);
  const dated = useMemo(() => {
    const dates = documents.map((one) => one.date).filter(Boolean);
    return dates.length >= 3 && new Set(dates).size > 1;
  }, []);
  const less = state.filters.length > 0 || !!state.word;
  const panels = [...(places ? [['map', 'Map']] : []), ...(dated ? [['time', 'Timeline']] : [])];
  const facts = [...warnings, ...(view.notes || [])];

  if (!newest && !opened) {
    return (
      <section ref={root} className="cs-results" data-testid="old-results" aria-label="Results shown before">
        <button type="button" className="cs-plain" aria-expanded="false" onClick={() => setOpened(true)}>{count(total, 'result', 'results')}, shown before</button>
      </section>
    );
  }
  return (
    <section
      ref={root} className="cs-results" data-testid="results" aria-label={count(total, 'result', 'results')} style={{ '--cs-digits': `${String(total).length}ch` }}
      onFocus={(event) => { focus.current = event.target.dataset.focus || ''; LISTS.set(key, { ...state, focus: focus.current }); }}
      onBlur={() => { focus.current = ''; LISTS.set(key, { ...state, focus: '' }); }}
    >
      <div className="cs-bar">
        <h2 className="cs-head">{total === 0 ? 'No results' : count(total, 'result', 'results')}</h2>
        <span className="cs-line" role="status" aria-live="polite" data-testid="count">{less ? `${rows.length.toLocaleString('en')} of ${total.toLocaleString('en')} match` : ''}</span>
        {panels.map(([panel, label]) => (
          <button key={panel} type="button" className="cs-tab" data-focus={panel} data-testid={`open-${panel}`} aria-expanded={state.panel === panel} onClick={() => patch({ panel: state.panel === panel ? '' : panel }, false)}>{label}</button>
        ))}
      </div>
      {total > 1 ? (
        <div className="cs-tools" role="group" aria-label="How the list is shown">
          {rankings.length > 1 ? <Choice label="Ranking" focus="rank" value={state.rank} options={rankings} onChange={(rank) => patch({ rank, sort: '' })} /> : null}
          {texts.length > 1 ? <Choice label="Text" focus="text" value={state.text} options={texts} onChange={(text) => patch({ text })} /> : null}
          <span className="cs-pair">
            <Choice label="Sort" focus="sort" value={state.sort} options={sorts} onChange={(sort) => patch({ sort, descending: !!sort && sort === names.date })} />
            {turnable ? (
              <button type="button" className="cs-turn" data-focus="turn" aria-label={state.descending ? 'Descending. Sort ascending' : 'Ascending. Sort descending'} onClick={() => patch({ descending: !state.descending })}>{state.descending ? '↓' : '↑'}</button>
            ) : null}
          </span>
          <input
            type="search" className="cs-find" data-focus="find" data-testid="find" placeholder="Filter" aria-label="Filter these results by title, host, chips or the beginning of the text"
            value={state.word} onChange={(event) => patch({ word: event.target.value })}
          />
        </div>
      ) : null}
      {chips.length ? (
        <div className="cs-toggles" role="group" aria-label="Chips shown">
          <span aria-hidden="true">Chips</span>
          {chips.map((one) => (
            <button
              key={one.column} type="button" className="cs-toggle" data-focus={`chip-${one.column}`} aria-pressed={state.chips.includes(one.column)}
              onClick={() => patch({ chips: state.chips.includes(one.column) ? state.chips.filter((column) => column !== one.column) : [...state.chips, one.column] })}
            >{one.label}</button>
          ))}
        </div>
      ) : null}
      {state.filters.length ? (
        <div className="cs-toggles" role="group" aria-label="Filters in use" data-testid="filters">
          <span aria-hidden="true">Only</span>
          {state.filters.map((one, place) => (
            <button key={`${one.kind}-${one.label}`} type="button" className="cs-pill" aria-label={`Remove the filter ${one.label}`} onClick={() => patch({ filters: state.filters.filter((_, other) => other !== place) })}>
              {one.label}<span aria-hidden="true"> ×</span>
            </button>
          ))}
        </div>
      ) : null}
      {facts.length ? (
        <ul className="cs-warnings" data-testid="warnings">{facts.map((warning, place) => <li key={place}>{warning}</li>)}</ul>
      ) : null}
      {state.panel === 'map' ? <Part name="ListMap" rows={filtered('area')} onRow={goTo} onArea={(filter) => only('area', filter)} /> : null}
      {state.panel === 'time' ? <Part name="ListTimeline" rows={filtered('time')} label={date.label} chosen={state.filters.find((one) => one.kind === 'time')} onSpan={(filter) => only('time', filter)} /> : null}
      <ol>
        {rows.slice(0, Math.min(drawn, wanted)).map((one) => (
          <Row key={one.n} one={one} text={textAt} snippet={textAt === snippet} moved={moved(one)} columns={chips} shown={state.chips} active={active} dateLabel={date ? date.label : ''} onChip={onChip} onOpen={onOpen} onVote={onVote} />
        ))}
      </ol>
      {less && !rows.length ? (
        <p className="cs-line">None of them matches. <button type="button" className="cs-plain" onClick={() => patch({ filters: [], word: '' })}>Show all {total.toLocaleString('en')}</button></p>
      ) : null}
      <div className="cs-more">
        {rows.length > wanted ? (
          <button type="button" className="cs-button" data-testid="more" onClick={() => more(wanted + MORE)}>Show {Math.min(MORE, rows.length - wanted)} more of {rows.length.toLocaleString('en')}</button>
        ) : null}
        {rows.length > wanted + MORE ? (
          <button type="button" className="cs-plain" data-testid="all" onClick={() => more(rows.length)}>Show all</button>
        ) : null}
        {wanted > FIRST + MORE ? (
          <button type="button" className="cs-plain" onClick={() => { patch({ shown: FIRST }); root.current.scrollIntoView({ block: 'start' }); }}>Show the first {FIRST} only</button>
        ) : null}
      </div>
    </section>
  );
}
