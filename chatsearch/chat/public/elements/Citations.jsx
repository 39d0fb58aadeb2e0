// Under a cited text: how many statements were found, the footnotes, and what to do next. Every link #cite-k of the message opens
// the side panel at the passage; nothing is asked of the server.
import { useEffect, useRef, useState } from 'react';
import { useSetRecoilState } from 'recoil';
import { sideViewState } from '@chainlit/react-client';

const SIGNS = { exact: '✓', similar: '≈', 'not found': '✗' };
const WORDS = { exact: 'quoted exactly', similar: 'similar in its source', 'not found': 'not found in its source' };

// a sign after a sentence that no document has: it leads nowhere
const undress = (anchor) => {
  anchor.classList.add('cs-unsupported');
  ['target', 'rel'].forEach((name) => anchor.removeAttribute(name));
  anchor.setAttribute('role', 'img');
  anchor.setAttribute('tabindex', '-1');
  anchor.setAttribute('aria-label', 'No source found for this sentence');
  anchor.setAttribute('title', 'None of the documents says this');
};

const Warnings = ({ texts }) => (texts.length ? (
  <ul className="cs-warnings" role="status" data-testid="answer-warnings">{texts.map((text) => <li key={text}>{text}</li>)}</ul>
) : null);

// the text with its footnotes' sources below it, each once, as plain text
const withReferences = (text, footnotes) => {
  const sources = new Map(footnotes.map((note) => [note.n, `[${note.n}] ${note.title}. ${/^https?:/i.test(note.href) ? note.href : globalThis.location.origin + note.href}`]));
  const listed = [...sources].sort(([one], [other]) => one - other).map(([, line]) => line);
  return [text.trim(), listed.join('\n')].filter(Boolean).join('\n\n') + '\n';
};

const copied = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (refused) { // no permission, or a page without https: the older way
    const field = document.createElement('textarea');
    field.value = text;
    field.style.cssText = 'position: fixed; opacity: 0';
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
};

const Copy = ({ text, footnotes }) => {
  const [said, setSaid] = useState('');
  const copy = async (event) => {
    const button = event.currentTarget;
    setSaid(''); // so that it is said again the second time
    const done = await copied(withReferences(text, footnotes));
    button.focus({ preventScroll: true });
    setSaid(done ? 'Copied' : 'Your browser does not allow it: select the text and copy it by hand.');
  };
  return (
    <span className="cs-copy">
      <button type="button" className="cs-plain" data-testid="copy" onClick={copy}>{footnotes.length ? 'Copy with references' : 'Copy'}</button>
      <span role="status" aria-live="polite" data-testid="copied">{said}</span>
    </span>
  );
};

// thumbs: what a person thinks of an answer; pressed again it is taken back
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

export default function Citations() {
  const { state, footnotes = [], line = '', refused = false, search = '', retry = '', used = '', warnings = [], suggestions = [], text = '', votes = null } = props;
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
    const dress = () => message.querySelectorAll('a[href="#unsupported"], a[href^="#cite-"]').forEach((anchor) => {
      if (anchor.getAttribute('href') === '#unsupported') return undress(anchor);
      const note = footnotes[Number(anchor.getAttribute('href').slice(6))];
      anchor.classList.add('cs-cite');
      anchor.removeAttribute('target');
      if (!note) return;
      anchor.dataset.check = note.check;
      anchor.setAttribute('aria-label', `Footnote ${note.n}, ${note.title}, ${WORDS[note.check] || ''}`);
      anchor.setAttribute('title', `${note.title}: ${WORDS[note.check] || ''}`);
      return undefined;
    });
    const click = (event) => {
      const anchor = event.target.closest && event.target.closest('a[href="#unsupported"], a[href^="#cite-"]');
      if (!anchor) return;
      event.preventDefault();
      event.stopPropagation();
      if (anchor.getAttribute('href') !== '#unsupported') open(Number(anchor.getAttribute('href').slice(6)), anchor);
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
    return (
      <div ref={root} className="cs-citations" data-testid="citations">
        <Warnings texts={warnings} />
        <p className="cs-line" role="status"><span className="cs-spinner" aria-hidden="true" /> Reading the documents …{used ? ` ${used}` : ''}</p>
      </div>
    );
  }
  return (
    <div ref={root} className="cs-citations" data-testid="citations" data-refused={refused}>
      <Warnings texts={warnings} />
      {line || used || (text && !refused) ? (
        <p className="cs-line">
          {line && footnotes.length ? (
            <button type="button" className="cs-plain" aria-expanded={listed} onClick={() => setListed(!listed)}>{line}</button>
          ) : line}
          {line && used ? ' · ' : ''}{used}
          {text && !refused ? <>{line || used ? ' · ' : ''}<Copy text={text} footnotes={footnotes} /></> : null}
          {votes ? <Votes about="this answer" send={(value) => sendVote(votes.url, { set: votes.set, answer: votes.answer, value })} /> : null}
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
      {retry ? (
        <button type="button" className="cs-button" data-testid="retry" onClick={() => sendUserMessage(retry)}>Try again</button>
      ) : null}
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
