// What a slash command says: blocks of text, tables, the pipeline as cards, files, buttons, and the form of /edit.
import { useMemo, useState } from 'react';

const size = (bytes) => (bytes < 1024 ? `${bytes} bytes` : bytes < 1048576 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1048576).toFixed(1)} MB`);

// a value as /set reads it
const quoted = (text) => (/^[\w.:/-]+$/.test(text) ? text : `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`);
const shown = (value) => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value));

function File({ name, type, content, size: bytes }) {
  const address = useMemo(() => {
    const binary = atob(content);
    return URL.createObjectURL(new Blob([Uint8Array.from(binary, (one) => one.charCodeAt(0))], { type }));
  }, [content, type]);
  return <a className="cs-button" href={address} download={name} data-testid="file">Download {name} ({size(bytes)})</a>;
}

function Table({ headers, rows }) {
  return (
    <div className="cs-scroll" tabIndex={0} role="region" aria-label="Table">
      <table className="cs-table">
        <thead><tr>{headers.map((one, place) => <th key={place} scope="col">{one}</th>)}</tr></thead>
        <tbody>{rows.map((row, place) => <tr key={place}>{row.map((one, column) => <td key={column}>{one}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function Cards({ cards }) {
  return (
    <ol className="cs-cards" data-testid="cards">
      {cards.map((card) => (
        <li key={card.number} className="cs-card" data-testid="card" data-off={!card.enabled}>
          <p className="cs-card-head">
            <span className="cs-card-number">{card.number}</span> <strong>{card.name}</strong> <code>{card.module}</code>
            {card.enabled ? null : ' · off'}
            {card.seconds === null ? null : <span className="cs-card-rows">{card.rows_in} → {card.rows_out} documents · {card.seconds.toFixed(2)} s</span>}
          </p>
          {card.parameters.length ? (
            <dl className="cs-card-parameters">
              {card.parameters.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value || '(empty)'}</dd></div>)}
            </dl>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

function Field({ id, field, value, change }) {
  const label = <label htmlFor={id}>{field.name}</label>;
  const about = field.description ? <small id={`${id}-about`}>{field.description}</small> : null;
  const common = { id, 'aria-describedby': about ? `${id}-about` : undefined };
  const set = (event) => change(event.target.value);
  if (field.kind === 'boolean') {
    return (
      <p className="cs-field"><input {...common} type="checkbox" checked={value === 'true'} onChange={(event) => change(String(event.target.checked))} /> {label}{about}</p>
    );
  }
  return (
    <p className="cs-field">
      {label}
      {field.choices.length ? (
        <select {...common} value={value} onChange={set}>{field.choices.map((one) => <option key={one}>{one}</option>)}</select>
      ) : (
        <input {...common} type="text" inputMode={field.kind === 'integer' ? 'numeric' : field.kind === 'number' ? 'decimal' : 'text'} value={value} placeholder={shown(field.default)} onChange={set} />
      )}
      {about}
    </p>
  );
}

// what was typed into a form outlives the element, which is made anew when the page changes; keyed by the engine it is a form of
const FORMS = (globalThis.chatsearchForms = globalThis.chatsearchForms || new Map());

function Form({ steps, json }) {
  const before = useMemo(() => Object.fromEntries(steps.flatMap((step) => step.fields.map((field) => [`${step.number}.${field.name}`, shown(field.value)]))), [steps]);
  const kept = FORMS.get(json) || { values: before, text: json };
  const [values, setValues] = useState(kept.values);
  const [text, setText] = useState(kept.text);
  const [sent, setSent] = useState(false);
  FORMS.set(json, { values, text });
  const changed = Object.keys(values).filter((key) => values[key] !== before[key]);
  // one command for all fields: they are applied together, or not at all
  const apply = () => {
    const edits = {};
    changed.forEach((key) => {
      const [number, ...name] = key.split('.');
      edits[number] = { ...edits[number], [name.join('.')]: values[key] };
    });
    const numbers = Object.keys(edits);
    setSent(true);
    sendUserMessage(numbers.length === 1
      ? `/set ${numbers[0]} ${Object.entries(edits[numbers[0]]).map(([name, value]) => `${name}=${quoted(value)}`).join(' ')}`
      : `/edit steps ${JSON.stringify(edits)}`);
  };
  return (
    <div className="cs-form" data-testid="form">
      {steps.map((step) => (
        <fieldset key={step.number} className="cs-fieldset">
          <legend>{step.number} · {step.name}{step.enabled ? '' : ' (off)'}</legend>
          {step.fields.map((field) => {
            const key = `${step.number}.${field.name}`;
            return <Field key={key} id={`f-${key}`} field={field} value={values[key]} change={(value) => setValues((now) => ({ ...now, [key]: value }))} />;
          })}
        </fieldset>
      ))}
      <button type="button" className="cs-button" disabled={!changed.length || sent} data-testid="apply" onClick={apply}>
        {sent ? 'Sent' : changed.length ? `Apply ${changed.length} change${changed.length > 1 ? 's' : ''}` : 'Nothing changed yet'}
      </button>
      <details>
        <summary>The whole engine as JSON</summary>
        <textarea className="cs-json" aria-label="The engine as JSON" rows={14} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
        <button type="button" className="cs-button" disabled={text === json} data-testid="apply-json" onClick={() => sendUserMessage(`/edit ${text}`)}>Apply this JSON</button>
      </details>
    </div>
  );
}

function Upload({ label, command, accept }) {
  const [problem, setProblem] = useState('');
  const take = async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    if (file.size > 240000) return setProblem(`${file.name} has ${size(file.size)}; at most 240 kB are taken here.`);
    setProblem('');
    return sendUserMessage(`${command} ${await file.text()}`);
  };
  return (
    <p className="cs-upload">
      <label className="cs-button">{label}<input type="file" accept={accept} className="cs-file-input" data-testid="upload" onChange={take} /></label>
      {problem ? <span role="alert"> {problem}</span> : null}
    </p>
  );
}

const BLOCKS = {
  heading: ({ text }) => <h3 className="cs-heading">{text}</h3>,
  paragraph: ({ text }) => <p className="cs-paragraph">{text}</p>,
  note: ({ text }) => <p className="cs-note">! {text}</p>,
  changed: ({ text }) => <p className="cs-changed">{text}</p>,
  code: ({ text, language }) => <pre className="cs-code" tabIndex={0} aria-label={language}><code>{text}</code></pre>,
  picture: ({ svg, alt }) => <img className="cs-picture" alt={alt} src={`data:image/svg+xml;base64,${svg}`} />,
  table: Table,
  cards: Cards,
  file: File,
  form: Form,
  upload: Upload,
};

export default function Reply() {
  const { blocks = [] } = props;
  const offers = blocks.filter((block) => block.kind === 'offer');
  return (
    <div className="cs-reply" data-testid="reply">
      {blocks.filter((block) => block.kind !== 'offer').map((block, place) => {
        const Block = BLOCKS[block.kind];
        return Block ? <Block key={place} {...block} /> : null;
      })}
      {offers.length ? (
        <div className="cs-suggestions" role="group" aria-label="What you can do next">
          {offers.map(({ label, command }) => (
            <button key={command} type="button" className="cs-button" data-testid="offer" onClick={() => sendUserMessage(command)}>{label}</button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
