// The map of a result list, which Results.jsx loads when it is opened: an outline of the world (world.svg) and a dot for each place.
// Dots that would overlap are one circle with their count. One stop of the Tab key; the arrow keys go from dot to dot.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

const APART = 30; // pixels between the middles of two dots
const SMALLEST = 4; // degrees of longitude that the map shows at least: the outline knows no more
const WORLD = { west: -180, east: 180, south: -58, north: 84 };
const ASPECT = 2.2;

const middle = (one, other) => (one + other) / 2;
const within = (value, low, high) => Math.min(Math.max(value, low), high);

// a box of the map's shape around points, with room at its edges, inside the world
const around = (points, least) => {
  if (!points.length) return WORLD;
  const [south, north] = [Math.min(...points.map((one) => one[0])), Math.max(...points.map((one) => one[0]))];
  const [west, east] = [Math.min(...points.map((one) => one[1])), Math.max(...points.map((one) => one[1]))];
  const narrow = Math.cos((within(middle(south, north), -70, 70) * Math.PI) / 180); // a degree of longitude is shorter there
  const width = Math.max((east - west) * 1.2, ((north - south) * 1.25 * ASPECT) / narrow, least);
  if (width >= 300) return WORLD;
  const height = (width * narrow) / ASPECT;
  const [x, y] = [middle(west, east), within(middle(south, north), -90 + height / 2, 90 - height / 2)];
  return { west: x - width / 2, east: x + width / 2, south: y - height / 2, north: y + height / 2 };
};

const clusters = (points, box, width, height) => {
  const found = [];
  points.forEach(([latitude, longitude, row]) => {
    const x = ((longitude - box.west) / (box.east - box.west)) * width;
    const y = ((box.north - latitude) / (box.north - box.south)) * height;
    if (x < 0 || y < 0 || x > width || y > height) return;
    const near = found.find((one) => Math.hypot(one.x - x, one.y - y) < APART);
    if (near) { near.rows.add(row); near.points.push([latitude, longitude]); } else found.push({ x, y, rows: new Set([row]), points: [[latitude, longitude]] });
  });
  return found.sort((one, other) => one.x - other.x);
};

const place = ([latitude, longitude]) => `${Math.abs(latitude).toFixed(1)}° ${latitude < 0 ? 'S' : 'N'}, ${Math.abs(longitude).toFixed(1)}° ${longitude < 0 ? 'W' : 'E'}`;

function ListMap({ rows, onRow, onArea }) {
  const frame = useRef(null);
  const [width, setWidth] = useState(0);
  const [boxes, setBoxes] = useState([]); // the closer looks, the closest last
  const [at, setAt] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(frame.current.clientWidth);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, []);
  const signature = rows.map((one) => one.n).sort((one, other) => one - other).join();
  const points = useMemo(() => rows.flatMap((one) => (one.places || []).map(([latitude, longitude]) => [latitude, longitude, one])), [signature]);
  useEffect(() => { setBoxes([]); setAt(0); }, [signature]);
  const box = boxes.length ? boxes[boxes.length - 1] : around(points, 30);
  const height = width / ASPECT;
  const dots = useMemo(() => (width ? clusters(points, box, width, height) : []), [points, box.west, box.north, box.east, width]);
  const open = (dot) => {
    if (dot.rows.size === 1) return onRow([...dot.rows][0].n);
    const closer = around(dot.points, SMALLEST);
    if (closer.east - closer.west < (box.east - box.west) * 0.8) { setBoxes([...boxes, closer]); return setAt(0); }
    return onArea({ label: `near ${place(dot.points[0])}`, rows: [...dot.rows].map((one) => one.n) });
  };
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by || !dots.length) return;
    event.preventDefault();
    const next = (at + by + dots.length) % dots.length;
    setAt(next);
    frame.current.querySelectorAll('button')[next].focus();
  };
  const placed = new Set(points.map((one) => one[2].n)).size;
  const scale = (box.east - box.west) * 10;
  return (
    <div className="cs-map" data-testid="map">
      <div ref={frame} className="cs-map-frame" role="group" aria-label="Map of the results; the arrow keys go from place to place" style={{ aspectRatio: String(ASPECT) }} onKeyDown={step}>
        <svg aria-hidden="true" viewBox={`${(box.west + 180) * 10} ${(90 - box.north) * 10} ${scale} ${(box.north - box.south) * 10}`} preserveAspectRatio="none">
          <use href="/public/world.svg#land" className="cs-land" />
          <use href="/public/world.svg#borders" className="cs-borders" />
        </svg>
        {dots.map((dot, index) => {
          const [first] = dot.rows;
          const single = dot.rows.size === 1;
          const label = single ? `Result ${first.n}: ${first.title}` : `${dot.rows.size} results near ${place(dot.points[0])}`;
          return (
            <button
              key={`${dot.x}-${dot.y}`} type="button" className="cs-dot" data-many={!single} data-testid="dot" tabIndex={index === Math.min(at, dots.length - 1) ? 0 : -1}
              style={{ left: `${(dot.x / width) * 100}%`, top: `${(dot.y / height) * 100}%` }} aria-label={label} title={label} onFocus={() => setAt(index)} onClick={() => open(dot)}
            >{single ? first.n : dot.rows.size}</button>
          );
        })}
      </div>
      <p className="cs-line cs-map-note">
        <span role="status">{placed.toLocaleString('en')} {placed === 1 ? 'result has' : 'results have'} a place.</span>
        <span> Filled: a result’s number. Outlined: how many stand together.</span>
        {boxes.length ? <button type="button" className="cs-plain" data-testid="zoom-out" onClick={() => setBoxes(boxes.slice(0, -1))}>Zoom out</button> : null}
      </p>
    </div>
  );
}

export default function Handed() {
  useEffect(() => props.take(ListMap), []);
  return null;
}
