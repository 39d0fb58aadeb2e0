// The timeline of a result list, which Results.jsx loads when it is opened: a bar for each month, year, decade or more.
// A bar shows its results alone, and all of them when it is pressed again. One stop of the Tab key; the arrow keys go from bar to bar.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

const LEAST = 26; // pixels of a bar
const SIZES = [[1, 'month'], [3, 'quarter'], [12, 'year'], [24, 'years'], [60, 'years'], [120, 'decade'], [300, 'years'], [600, 'years'], [1200, 'century'], [12000, 'years']];
const NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const months = (date) => {
  const [year, month] = date.split('-').map(Number);
  return [year * 12 + (month ? month - 1 : 0), !month];
};
const year = (month) => Math.floor(month / 12);
const called = (from, size) => {
  if (size === 1) return `${NAMES[from % 12]} ${year(from)}`;
  if (size === 3) return `${NAMES[from % 12]} – ${NAMES[(from + 2) % 12]} ${year(from)}`;
  return size === 12 ? String(year(from)) : `${year(from)} – ${year(from + size - 1)}`;
};
const brief = (from, size) => (size < 12 ? (from % 12 === 0 ? String(year(from)) : NAMES[from % 12]) : String(year(from)));

// bars of the smallest size of which there is room for all; dates that name a year only need at least a year
const bars = (rows, room) => {
  const dates = rows.filter((one) => one.date).map((one) => months(one.date));
  if (!dates.length) return [];
  const all = dates.map(([month]) => month);
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const vague = dates.some(([, only]) => only);
  const [size] = SIZES.find(([one]) => (!vague || one >= 12) && Math.floor(last / one) - Math.floor(first / one) < room) || SIZES[SIZES.length - 1];
  const found = [];
  for (let from = Math.floor(first / size) * size; from <= last; from += size) found.push({ from, to: from + size - 1, size, count: 0 });
  all.forEach((month) => { found[Math.floor(month / size) - Math.floor(first / size)].count += 1; });
  return found;
};

function ListTimeline({ rows, label, chosen, onSpan }) {
  const frame = useRef(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(frame.current.clientWidth);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, []);
  const found = useMemo(() => (width ? bars(rows, Math.max(Math.floor(width / LEAST), 2)) : []), [rows.length, rows[0], width]);
  const most = Math.max(...found.map((one) => one.count), 1);
  const every = Math.ceil((found.length * 44) / (width || 1)); // labels that do not touch
  const dated = found.reduce((sum, one) => sum + one.count, 0);
  const isChosen = (bar) => !!chosen && chosen.from === bar.from && chosen.to === bar.to;
  const press = (bar) => onSpan(isChosen(bar) ? null : { from: bar.from, to: bar.to, label: called(bar.from, bar.size) });
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by || !found.length) return;
    event.preventDefault();
    const next = (at + by + found.length) % found.length;
    setAt(next);
    frame.current.querySelectorAll('button')[next].focus();
  };
  return (
    <div className="cs-time" data-testid="timeline">
      <div ref={frame} className="cs-time-frame" role="group" aria-label={`Results by ${label}; the arrow keys go from bar to bar`} onKeyDown={step}>
        {found.map((bar, index) => (
          <button
            key={bar.from} type="button" className="cs-span" data-testid="span" data-none={!bar.count} aria-pressed={isChosen(bar)} tabIndex={index === Math.min(at, found.length - 1) ? 0 : -1}
            aria-label={`${called(bar.from, bar.size)}: ${bar.count} ${bar.count === 1 ? 'result' : 'results'}`} title={`${called(bar.from, bar.size)}: ${bar.count}`}
            onFocus={() => setAt(index)} onClick={() => press(bar)}
          >
            <span className="cs-span-bar" style={{ height: `${(bar.count / most) * 100}%` }} />
            <span className="cs-span-name" aria-hidden="true">{index % every === 0 ? brief(bar.from, bar.size) : ''}</span>
          </button>
        ))}
      </div>
      <p className="cs-line">{dated.toLocaleString('en')} of {rows.length.toLocaleString('en')} have a date ({label}). A bar shows its results alone.</p>
    </div>
  );
}

export default function Handed() {
  useEffect(() => props.take(ListTimeline), []);
  return null;
}
