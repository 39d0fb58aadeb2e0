// The result list: number, title, host, the sentence nearest to the query with its hits marked, chips, the whole text on demand.
import { useEffect, useRef, useState } from 'react';
import { useSetRecoilState } from 'recoil';
import { sideViewState } from '@chainlit/react-client';

const STEP = 5;

export default function Results() {
  const { documents = [], total = 0, warnings = [] } = props;
  const [shown, setShown] = useState(STEP);
  const list = useRef(null);
  const more = useRef(false);
  const setSide = useSetRecoilState(sideViewState);
  // after "show more" the keyboard goes on at the first new result
  useEffect(() => {
    if (!more.current || !list.current) return;
    more.current = false;
    const first = list.current.children[shown - STEP];
    const target = first && first.querySelector('a');
    if (target) target.focus();
  }, [shown]);
  const open = (document_) => {
    globalThis.chatsearchOpener = globalThis.document.activeElement;
    setSide({
      title: `${document_.n} · ${document_.title}`,
      elements: [{ id: `text-${document_.n}-${document_.page}`, type: 'custom', name: 'Source', display: 'side', props: { ...document_, check: '' } }],
    });
  };
  const left = Math.min(STEP, total - shown);
  return (
    <section className="cs-results" data-testid="results" aria-label={`${total} results`}>
      <h2 className="cs-head">{total === 0 ? 'No results' : total === 1 ? '1 result' : `${total} results`}</h2>
      {warnings.length ? (
        <ul className="cs-warnings" data-testid="warnings">{warnings.map((warning, place) => <li key={place}>{warning}</li>)}</ul>
      ) : null}
      <ol ref={list}>
        {documents.slice(0, shown).map((one) => (
          <li key={one.n} data-testid="result">
            <span className="cs-n" aria-hidden="true">{one.n}</span>
            <div>
              <p className="cs-title">
                <a href={one.href} target="_blank" rel="noopener noreferrer"><span className="cs-hidden">Result {one.n}: </span>{one.title}</a>
                {one.host ? <span className="cs-host">{one.host}</span> : null}
              </p>
              <p className="cs-snippet">{one.snippet.map(([text, hit], place) => (hit ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>))}</p>
              <p className="cs-chips">
                {one.chips.map((chip, place) => <span key={place} className="cs-chip">{chip}</span>)}
                {one.text ? (
                  <button type="button" className="cs-plain" onClick={() => open(one)} aria-label={`Show the text of result ${one.n}`}>Show text</button>
                ) : null}
              </p>
            </div>
          </li>
        ))}
      </ol>
      {left > 0 ? (
        <button type="button" className="cs-button" data-testid="more" onClick={() => { more.current = true; setShown(shown + STEP); }}>
          Show {left} more of {total}
        </button>
      ) : null}
    </section>
  );
}
