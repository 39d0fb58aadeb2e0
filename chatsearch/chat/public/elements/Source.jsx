// The side panel: a document's text with the quoted passage marked and scrolled to, and the way to the page itself.
import { useEffect, useRef } from 'react';
import { useSetRecoilState } from 'recoil';
import { sideViewState } from '@chainlit/react-client';

const SAID = {
  exact: '✓ The statement stands literally in this document.',
  similar: '≈ The statement is similar to this passage.',
  'not found': '✗ The statement was not found in this document.',
};

export default function Source() {
  const { title, href, host, page, check, quote, before = '', after = '', text = '', cut, cut_before, cut_after } = props;
  const setSide = useSetRecoilState(sideViewState);
  const top = useRef(null);
  const mark = useRef(null);
  useEffect(() => {
    if (mark.current) mark.current.scrollIntoView({ block: 'center' });
    if (top.current) top.current.focus({ preventScroll: true });
    const dialog = top.current && top.current.closest('[role="dialog"]'); // the panel on a phone, which has no name of its own
    if (dialog) dialog.setAttribute('aria-label', title);
    const opener = globalThis.chatsearchOpener;
    const escape = (event) => { if (event.key === 'Escape') setSide(undefined); };
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('keydown', escape);
      if (opener && opener.isConnected) opener.focus({ preventScroll: true });
    };
  }, [quote, page]);
  const outside = /^https?:\/\//i.test(href || '');
  return (
    <article className="cs-source" data-testid="source" tabIndex={-1} ref={top} aria-label={title}>
      <p className="cs-title">
        <a href={href} target="_blank" rel="noopener noreferrer">{outside ? `Open the page at ${host}` : 'Open the document'}</a>
        {outside ? <a className="cs-host" href={page} target="_blank" rel="noopener noreferrer">as it was indexed</a> : null}
      </p>
      {check ? <p className="cs-check" data-check={check}>{SAID[check]}</p> : null}
      {quote ? (
        <p className="cs-text">{cut_before ? '… ' : ''}{before}<mark ref={mark}>{quote}</mark>{after}{cut_after ? ' …' : ''}</p>
      ) : (
        <p className="cs-text">{text}{cut ? ' …' : ''}</p>
      )}
    </article>
  );
}
