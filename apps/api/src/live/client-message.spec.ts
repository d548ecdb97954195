import { parseClientMessage, parseSeq } from './client-message.js';

describe('what a client says', () => {
  it.each([
    ['{"type":"ping"}', { type: 'ping' }],
    ['{"type":"resume","last_seq":12}', { type: 'resume', lastSeq: 12 }],
    ['{"type":"presence","state":"editing","node_id":"a"}', { type: 'presence', state: 'editing', nodeId: 'a' }],
    ['{"type":"presence","state":"away","node_id":7}', { type: 'presence', state: 'away', nodeId: null }],
    [
      `{"type":"presence","state":"editing","node_id":"${'a'.repeat(199)}😀"}`,
      { type: 'presence', state: 'editing', nodeId: 'a'.repeat(199) },
    ],
    [
      '{"type":"presence","state":"editing","node_id":"\\ud83d"}',
      { type: 'presence', state: 'editing', nodeId: '\ufffd' },
    ],
  ])('is understood: %s', (text, message) => {
    expect(parseClientMessage(text)).toEqual(message);
  });

  it.each([
    '',
    '[',
    '7',
    'null',
    '[]',
    '{"type":"pong"}',
    '{"type":"resume"}',
    '{"type":"resume","last_seq":-1}',
    '{"type":"resume","last_seq":1e40}',
    '{"type":"presence","state":"dancing"}',
    '{"type":"presence"}',
  ])('is passed over: %s', (text) => {
    expect(parseClientMessage(text)).toBeNull();
  });

  it('reads a place in a query as digits alone', () => {
    expect(parseSeq('1795268681082443')).toBe(1_795_268_681_082_443);
    for (const wrong of ['', ' 1', '1.5', '-1', '0x10', '9'.repeat(16), null, undefined, 1.5])
      expect(parseSeq(wrong)).toBeNull();
  });
});
