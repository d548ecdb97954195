import {
  DOCUMENT_STATES,
  DOCUMENT_TRANSITIONS,
  INITIAL_STATES,
  STATUS_TEXTS,
  TERMINAL_STATES,
  UNFINISHED_STATES,
  type DocumentState,
} from './document.states.js';

const edges = Object.values(DOCUMENT_TRANSITIONS).flatMap(({ from, to }) => from.map((state) => ({ state, to })));

function reachableFrom(start: readonly DocumentState[], next: (state: DocumentState) => DocumentState[]) {
  const seen = new Set<DocumentState>(start);
  for (const state of seen) for (const follower of next(state)) seen.add(follower);
  return [...seen].sort();
}

describe('document states', () => {
  it('each have a text for people', () => {
    expect(Object.keys(STATUS_TEXTS)).toEqual([...DOCUMENT_STATES]);
  });

  it('are each either finished or not', () => {
    expect([...UNFINISHED_STATES, ...TERMINAL_STATES].sort()).toEqual([...DOCUMENT_STATES].sort());
  });

  it('can all be reached', () => {
    const reached = reachableFrom(INITIAL_STATES, (state) =>
      edges.filter((edge) => edge.state === state).map((edge) => edge.to),
    );
    expect(reached).toEqual([...DOCUMENT_STATES].sort());
  });

  it('all lead to a terminal state, so that no document is stuck by design', () => {
    const leading = reachableFrom(TERMINAL_STATES, (state) =>
      edges.filter((edge) => edge.to === state).map((edge) => edge.state),
    );
    expect(leading).toEqual([...DOCUMENT_STATES].sort());
  });

  it('let only the holder of a claim end processing well, or an index that is there already', () => {
    const into = Object.entries(DOCUMENT_TRANSITIONS).filter(([, { to }]) => to === 'completed');
    expect(into.map(([name]) => name)).toEqual(['complete', 'keep_index', 'keep_after_failure']);
    expect(DOCUMENT_TRANSITIONS.complete.from).toEqual(['processing']);
  });
});
