import type { DocumentState } from '../state/document.states.js';
import { type BatchItem, summarize } from './upload-batches.js';

const item = (state: DocumentState, seconds = 0): BatchItem => ({
  position: 0,
  filename: 'a.txt',
  state,
  lastError: '',
  refused: false,
  queuedAt: null,
  completedAt: null,
  changedAt: new Date(seconds * 1000),
});

describe('the state of a batch', () => {
  const cases: [DocumentState[], string, number, number][] = [
    [['stored', 'pending_publish'], 'accepted', 0, 0],
    [['pending_publish', 'failed'], 'processing', 0, 1],
    [['pending_publish', 'queued'], 'processing', 0, 0],
    [['processing', 'completed'], 'processing', 1, 0],
    [['completed', 'untrained'], 'completed', 2, 0],
    [['completed', 'failed'], 'partial', 1, 1],
    [['failed', 'publish_failed'], 'failed', 0, 2],
  ];
  it.each(cases)('of %j is %s', (states, state, completed, failed) => {
    expect(summarize(states.map((each) => item(each)))).toMatchObject({ state, completed, failed });
  });

  it('does not begin with a file that was refused', () => {
    const refused = { ...item('failed'), refused: true };
    expect(summarize([refused, item('pending_publish')])).toMatchObject({ state: 'accepted', failed: 1 });
    expect(summarize([refused])).toMatchObject({ state: 'failed', failed: 1 });
  });

  it('ends when its last item does', () => {
    expect(summarize([item('completed', 5), item('failed', 3)]).completedAt).toEqual(new Date(5000));
    expect(summarize([item('completed', 5), item('queued', 3)]).completedAt).toBeNull();
  });
});
