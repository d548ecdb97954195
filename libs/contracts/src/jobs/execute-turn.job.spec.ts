import { executeTurnJob, payloadForTurn } from './execute-turn.job.js';

describe('the job of a conversation', () => {
  const both = { key: ['5'], fence: 0, sessionId: 5, bell: 'turn' };

  it('is the same in the words of the release before, which understands ours', () => {
    expect(executeTurnJob.payload.parse({ sessionId: 5, bell: 'turn' })).toEqual(both);
    expect(executeTurnJob.payload.parse(payloadForTurn(5, 'turn'))).toEqual(both);
    expect(executeTurnJob.payload.parse({ key: ['5'], fence: 3 })).toMatchObject({
      key: ['5'],
      sessionId: 5,
      bell: '3',
    });
    expect(executeTurnJob.payload.parse(both)).toEqual(both);
  });

  it.each([{}, null, 'x', { key: ['x'], fence: 0 }, { sessionId: 'x', bell: '' }])('is not %j', (payload) => {
    expect(executeTurnJob.payload.safeParse(payload).success).toBe(false);
  });
});
