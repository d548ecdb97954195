import { createHmac } from 'node:crypto';
import { answerGenuine, answerGet, answerUnproven } from './hook-challenge.js';
import {
  HOOK_CHALLENGES,
  HOOK_SCHEMES,
  type HookChallenge,
  type HookScheme,
  type HookSettings,
} from './hook-settings.js';

const settings = (challenge: HookChallenge, scheme: HookScheme = 'none'): HookSettings => ({
  scheme,
  challenge,
  headerName: null,
  username: null,
  secrets: [{ value: 'geheim', until: null }],
  verifyToken: challenge === 'meta' ? 'token' : null,
});
const meta = { 'hub.mode': 'subscribe', 'hub.verify_token': 'token', 'hub.challenge': '42' };
const slack = Buffer.from('{"type":"url_verification","challenge":"3eZbrw"}');
const zoom = Buffer.from('{"event":"endpoint.url_validation","payload":{"plainToken":"q9ibPhGeRZ6ayx5WTrXjRw"}}');

describe('challenges', () => {
  it('are answered as the vendor documents it, for whoever chose the vendor alone', () => {
    const asked = { ...meta, challenge: 'drop', validationToken: 'graph' };
    const answers = HOOK_CHALLENGES.map((challenge) => [
      challenge,
      answerGet(settings(challenge), asked)?.body ?? null,
      answerUnproven(settings(challenge), asked, Buffer.alloc(0))?.body ?? null,
    ]);
    expect(answers).toEqual([
      ['none', null, null],
      ['meta', '42', null],
      ['dropbox', 'drop', null],
      ['microsoft-graph', null, 'graph'],
      ['plain', 'ok', null],
    ]);
    for (const scheme of HOOK_SCHEMES) {
      expect(answerGenuine(settings('none', scheme), slack)?.body ?? null).toBe(scheme === 'slack' ? '3eZbrw' : null);
      expect(answerGenuine(settings('none', scheme), zoom) !== null).toBe(scheme === 'zoom');
    }
    const encryptedToken = createHmac('sha256', 'geheim').update('q9ibPhGeRZ6ayx5WTrXjRw').digest('hex');
    expect(JSON.parse(answerGenuine(settings('none', 'zoom'), zoom)!.body)).toEqual({
      plainToken: 'q9ibPhGeRZ6ayx5WTrXjRw',
      encryptedToken,
    });
  });

  it('are not answered when they ask wrongly', () => {
    for (const wrong of [
      {},
      { ...meta, 'hub.verify_token': 'tokem' },
      { ...meta, 'hub.verify_token': undefined },
      { ...meta, 'hub.verify_token': ['token', 'x'] },
      { ...meta, 'hub.mode': 'unsubscribe' },
      { ...meta, 'hub.challenge': '' },
      { ...meta, 'hub.challenge': ['1', '2'] },
      { ...meta, 'hub.challenge': 'x'.repeat(5000) },
    ])
      expect(answerGet(settings('meta'), wrong)).toBeNull();
    expect(answerUnproven(settings('microsoft-graph'), { validationToken: 'x' }, Buffer.from('{}'))).toBeNull();
    for (const body of [
      '',
      'x=1',
      'null',
      '[]',
      '{"type":"url_verification"}',
      '{"type":"event_callback","challenge":"x"}',
    ])
      expect(answerGenuine(settings('none', 'slack'), Buffer.from(body))).toBeNull();
    for (const body of [
      '',
      'null',
      '{"event":"endpoint.url_validation"}',
      '{"event":"endpoint.url_validation","payload":{"plainToken":1}}',
    ])
      expect(answerGenuine(settings('none', 'zoom'), Buffer.from(body))).toBeNull();
  });
});
