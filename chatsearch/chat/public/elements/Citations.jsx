// Under a cited text: how many statements were found, the footnotes, and what to do next. Every link #cite-k of the message opens
// the side panel at the passage; nothing is asked of the server.
import { useEffect, useRef, useState } from 'react';
import { useSetRecoilState } from 'recoil';
import { sideViewState } from '@chainlit/react-client';

const SIGNS = { exact: '✓', similar: '≈', 'not found': '✗' };
const WORDS = { exact: 'quoted exactly', similar: 'similar in its source', 'not found': 'not found in its source' };

export default function Citations() {
  const { state, footnotes = [], line = '', refused = false, search = '', suggestions = [] } = props;
  const root = useRef(null);
  const [listed, setListed] = useState(false);
  const setSide = useSetRecoilState(sideViewState);

  const open = (place, opener) => {
    const note = footnotes[place];
    if (!note) return;
    globalThis.chatsearchOpener = opener || document.activeElement;
    setSide({
      title: `[${note.n}] ${note.title}`,
      elements: [{ id: `cite-${note.n}-${place}-${note.page}`, type: 'custom', name: 'Source', display: 'side', props: note }],
    });
  };

  useEffect(() => {
    const message = root.current && root.current.closest('.step');
    if (!message) return undefined;
    const dress = () => message.querySelectorAll('a[href^="#cite-"]').forEach((anchor) => {
      const note = footnotes[Number(anchor.getAttribute('href').slice(6))];
      anchor.classList.add('cs-cite');
      anchor.removeAttribute('target');
      if (!note) return;
      anchor.dataset.check = note.check;
      anchor.setAttribute('aria-label', `Footnote ${note.n}, ${note.title}, ${WORDS[note.check] || ''}`);
      anchor.setAttribute('title', `${note.title}: ${WORDS[note.check] || ''}`);
    });
    const click = (event) => {
      const anchor = event.target.closest && event.target.closest('a[href^="#cite-"]');
      if (!anchor) return;
      event.preventDefault();
      event.stopPropagation();
      open(Number(anchor.getAttribute('href').slice(6)), anchor);
    };
    dress();
    const watcher = new MutationObserver(dress);
    watcher.observe(message, { childList: true, subtree: true });
    message.addEventListener('click', click, true);
    return () => {
      watcher.disconnect();
      message.removeEventListener('click', click, true);
    };
  }, [footnotes]);

  if (state === 'running') {
    return <p ref={root} className="cs-line" role="status" data-testid="citations"><span className="cs-spinner" aria-hidden="true" /> Reading the documents …</p>;
  }
  return (
    <div ref={root} className="cs-citations" data-testid="citations" data-refused={refused}>
      {line ? (
        <p className="cs-line">
          <button type="button" className="cs-plain" aria-expanded={listed} onClick={() => setListed(!listed)}>{line}</button>
        </p>
      ) : null}
      {listed ? (
        <ul className="cs-notes" data-testid="footnotes">
          {footnotes.map((note, place) => (
            <li key={place}>
              <button type="button" className="cs-plain" onClick={() => open(place)}>
                <span className="cs-check" data-check={note.check}>[{note.n}] {SIGNS[note.check]} {note.check}</span> {note.title}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {state === 'stopped' ? <p className="cs-line">Stopped.</p> : null}
      {state === 'failed' ? <p className="cs-line">This could not be finished; the message below says why.</p> : null}
      {search ? (
        <button type="button" className="cs-button" data-testid="search-for-this" onClick={() => sendUserMessage(`/search ${search}`)}>Search for this</button>
      ) : null}
      {suggestions.length ? (
        <div className="cs-suggestions" role="group" aria-label="Questions these results can answer">
          {suggestions.map((question) => (
            <button key={question} type="button" className="cs-button" data-testid="suggestion" onClick={() => sendUserMessage(question)}>{question}</button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
