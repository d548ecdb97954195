import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type HookCall, proveHook } from './hook-proof.js';
import { HOOK_SCHEMES, type HookScheme, type HookSettings } from './hook-settings.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const BODY = Buffer.from('{"id":"evt_1","event_id":"Ev1","text":"ü"}');
const WHSEC = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const settings = (scheme: HookScheme, overrides: Partial<HookSettings> = {}): HookSettings => ({
  scheme,
  challenge: 'none',
  headerName: 'x-key',
  username: 'ada',
  secrets: scheme === 'none' ? [] : [{ value: WHSEC, until: null }],
  verifyToken: null,
  ...overrides,
});
const secretOf = (value: string) => ({ secrets: [{ value, until: null }] });
const hex = (secret: string, text: string | Buffer) => createHmac('sha256', secret).update(text).digest('hex');
const timed = (seconds: number, separator = '.') => Buffer.concat([Buffer.from(`${seconds}${separator}`), BODY]);
const standard = (id: string, at: Date, prefix: string) => ({
  [`${prefix}-id`]: id,
  [`${prefix}-timestamp`]: String(at.getTime() / 1000),
  [`${prefix}-signature`]: new Webhook(WHSEC).sign(id, at, BODY),
});

/** Headers of a genuine call of each scheme, so many seconds away from now. */
const signed: Record<HookScheme, (seconds?: number) => Record<string, string>> = {
  none: () => ({ 'idempotency-key': 'k1' }),
  header: () => ({ 'x-key': WHSEC }),
  basic: () => ({ authorization: `Basic ${Buffer.from(`ada:${WHSEC}`).toString('base64')}` }),
  bearer: () => ({ authorization: `Bearer ${WHSEC}` }),
  hmac: () => ({ 'x-key': createHmac('sha256', WHSEC).update(BODY).digest('base64') }),
  github: () => ({ 'x-hub-signature-256': `sha256=${hex(WHSEC, BODY)}`, 'x-github-delivery': 'guid' }),
  gitlab: () => ({ 'x-gitlab-token': WHSEC, 'idempotency-key': 'guid' }),
  stripe: (seconds = 0) => {
    const at = NOW / 1000 + seconds;
    return { 'stripe-signature': `t=${at},v0=abc,v1=${'0'.repeat(64)},v1=${hex(WHSEC, timed(at))}` };
  },
  slack: (seconds = 0) => {
    const at = NOW / 1000 + seconds;
    const signature = `v0=${hex(WHSEC, Buffer.concat([Buffer.from('v0:'), timed(at, ':')]))}`;
    return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature };
  },
  zoom: (seconds = 0) => {
    const at = NOW / 1000 + seconds;
    const signature = `v0=${hex(WHSEC, Buffer.concat([Buffer.from('v0:'), timed(at, ':')]))}`;
    return { 'x-zm-request-timestamp': String(at), 'x-zm-signature': signature };
  },
  svix: (seconds = 0) => standard('msg_1', new Date(NOW + seconds * 1000), 'svix'),
  'standard-webhooks': (seconds = 0) => standard('msg_1', new Date(NOW + seconds * 1000), 'webhook'),
};
const TIMED: readonly HookScheme[] = ['stripe', 'slack', 'zoom', 'svix', 'standard-webhooks'];
const SIGNED: readonly HookScheme[] = [...TIMED, 'hmac', 'github'];
const prove = (of: HookSettings, call: Partial<HookCall>) =>
  proveHook(of, { headers: {}, body: BODY, now: NOW, ...call });

describe('proofs of calls by URL', () => {
  it.each(HOOK_SCHEMES)('%s takes what is right, and each event once', (scheme) => {
    const headers = signed[scheme]();
    const proof = prove(settings(scheme), { headers });
    expect(proof.isGenuine).toBe(true);
    expect(prove(settings(scheme), { headers }).eventId).toBe(proof.eventId);
    const names = {
      stripe: 'evt_1',
      slack: 'Ev1',
      svix: 'msg_1',
      'standard-webhooks': 'msg_1',
      none: 'k1',
      gitlab: 'guid',
    };
    if (scheme in names) expect(proof.eventId).toBe(names[scheme as keyof typeof names]);
    // What is not signed does not make a replayed event a new one.
    if (SIGNED.includes(scheme))
      expect(
        prove(settings(scheme), { headers: { ...headers, 'x-github-delivery': 'x', 'idempotency-key': 'y' } }).eventId,
      ).toBe(proof.eventId);
  });

  it.each(HOOK_SCHEMES.filter((scheme) => scheme !== 'none'))(
    '%s refuses every header that is missing or changed',
    (scheme) => {
      const right = signed[scheme]();
      expect(prove(settings(scheme), {})).toEqual({ isGenuine: false, eventId: null });
      expect(prove(settings(scheme, secretOf('another')), { headers: right }).isGenuine).toBe(false);
      expect(prove(settings(scheme, { secrets: [] }), { headers: right }).isGenuine).toBe(false);
      const proofs = Object.entries(right).filter(([name]) => !/delivery|idempotency/.test(name));
      for (const [name, value] of proofs)
        for (const wrong of [
          '',
          value.slice(0, -2),
          `${value}x`,
          value.replace(/^v0=/, ''),
          'sha256=',
          'v0=',
          't=1',
          'Basic',
          'Bearer ',
        ]) {
          if (wrong === value) continue;
          expect([name, wrong, prove(settings(scheme), { headers: { ...right, [name]: wrong } }).isGenuine]).toEqual([
            name,
            wrong,
            false,
          ]);
        }
      if (SIGNED.includes(scheme))
        expect(
          prove(settings(scheme), { headers: right, body: Buffer.concat([BODY, Buffer.from(' ')]) }).isGenuine,
        ).toBe(false);
    },
  );

  it.each(TIMED)('%s takes five minutes and not one second more', (scheme) => {
    for (const [seconds, isGenuine] of [
      [-300, true],
      [300, true],
      [-301, false],
      [301, false],
    ] as const)
      expect([seconds, prove(settings(scheme), { headers: signed[scheme](seconds) }).isGenuine]).toEqual([
        seconds,
        isGenuine,
      ]);
  });

  it('take a secret that was replaced until its time is over', () => {
    const secrets = [
      { value: 'new', until: null },
      { value: WHSEC, until: NOW + 1 },
    ];
    expect(prove(settings('github', { secrets }), { headers: signed.github() }).isGenuine).toBe(true);
    expect(prove(settings('github', { secrets }), { headers: signed.github(), now: NOW + 1 }).isGenuine).toBe(false);
  });

  it('agree with what the vendors publish', () => {
    // docs.github.com, "Validating webhook deliveries".
    expect(
      prove(settings('github', secretOf("It's a Secret to Everybody")), {
        headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
        body: Buffer.from('Hello, World!'),
      }).isGenuine,
    ).toBe(true);
    // api.slack.com, "Verifying requests from Slack".
    expect(
      prove(settings('slack', secretOf('8f742231b10e8888abcd99yyyzzz85a5')), {
        headers: {
          'x-slack-request-timestamp': '1531420618',
          'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
        },
        body: Buffer.from(
          'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
        ),
        now: 1_531_420_618_000,
      }).isGenuine,
    ).toBe(true);
    // docs.svix.com, "Verifying webhooks manually".
    expect(
      prove(settings('svix', secretOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')), {
        headers: {
          'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'svix-timestamp': '1614265330',
          'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
        body: Buffer.from('{"test": 2432232314}'),
        now: 1_614_265_330_000,
      }).isGenuine,
    ).toBe(true);
  });

  it('are over the bytes, not over what they decode to', () => {
    const [one, other] = [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from([0x7b, 0xfe, 0x7d])];
    const headers = { 'x-hub-signature-256': `sha256=${hex(WHSEC, one)}` };
    expect(prove(settings('github'), { headers, body: one }).isGenuine).toBe(true);
    expect(prove(settings('github'), { headers, body: other }).isGenuine).toBe(false);
  });
});
