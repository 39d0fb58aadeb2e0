// The line of figures above a result set: live while the steps run, and it unfolds to a table of them.
export default function Steps() {
  const { line, state, steps = [], of = 0, warnings = [] } = props;
  const running = steps.filter((step) => step.state === 'running');
  const finished = steps.filter((step) => step.state !== 'running').length;
  const progress = (step) => (step.total ? `${step.done} of ${step.total}${step.note ? `, ${step.note}` : ''}` : step.note || '');
  const now = running.map((step) => [step.name, progress(step)].filter(Boolean).join(': ')).join(' · ');
  const cell = (value) => (value === undefined || value === null ? '' : value);
  return (
    <details className="cs-steps" data-testid="steps" data-state={state}>
      <summary>
        {state === 'running' ? <span className="cs-spinner" aria-hidden="true" /> : null}
        <span role="status" aria-live="polite" className="cs-line" data-testid="line">
          {state === 'running' && now ? now : line}
        </span>
        {state === 'running' ? (
          <progress className="cs-progress" max={of || 1} value={finished} aria-label={`${finished} of ${of} steps done`} />
        ) : null}
        {warnings.length ? <span className="cs-warned">{warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</span> : null}
      </summary>
      <div className="cs-scroll" tabIndex={0} role="region" aria-label="Steps of this search">
        <table>
          <thead>
            <tr>
              {['', 'Step', 'In', 'Out', 'Seconds', 'Calls', 'From cache'].map((head, place) => (
                <th key={place} scope="col">{head || <span className="cs-hidden">State</span>}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.step} data-testid="step">
                <td>{{ running: '…', done: '✓', warned: '!', stopped: '■', failed: '✗' }[step.state]}<span className="cs-hidden">{step.state}</span></td>
                <th scope="row">{step.step} {step.name}<small>{step.state === 'running' ? progress(step) : ''}</small></th>
                <td>{cell(step.rows_in)}</td>
                <td>{cell(step.rows_out)}</td>
                <td>{step.seconds === undefined ? '' : step.seconds.toFixed(2)}</td>
                <td>{cell(step.calls)}</td>
                <td>{cell(step.cached)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {warnings.length ? (
        <ul className="cs-warnings">{warnings.map((warning, place) => <li key={place}>{warning}</li>)}</ul>
      ) : null}
    </details>
  );
}
