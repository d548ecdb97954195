import { isShownSecret, redactShown } from './shown-secrets.js';
import { cpuStopwatch } from '../../../test/support/timing.js';

const R = '[redacted]';

describe('what people are shown of calls', () => {
  it.each([
    [
      `curl -H "Authorization: Bearer abc.def-123" https://x.example`,
      `curl -H "Authorization: Bearer ${R}" https://x.example`,
    ],
    ['curl -H Authorization:abcdef https://x', `curl -H Authorization:${R} https://x`],
    ['psql postgres://ada:pa55!w%40rd@db.example/x', `psql postgres://ada:${R}@db.example/x`],
    ['redis://:hunter2@cache:6379', `redis://:${R}@cache:6379`],
    ['export GITHUB_TOKEN=abcdef && make', `export GITHUB_TOKEN=${R} && make`],
    ['OPENAI_API_KEY="k-1" run', `OPENAI_API_KEY="${R}" run`],
    ['login --password hunter2 --verbose', `login --password ${R} --verbose`],
    ['curl -u ada:hunter2 https://x', `curl -u ada:${R} https://x`],
    [`{"client_secret":"s3","name":"n"}`, `{"client_secret":"${R}","name":"n"}`],
    [`{\\"apiKey\\": \\"s3\\"}`, `{\\"apiKey\\": \\"${R}\\"}`],
    ['https://x.example/?a=1&access_token=zzz&b=2', `https://x.example/?a=1&access_token=${R}&b=2`],
    ['Your password: hunter2, then', `Your password: ${R} then`],
    [`use sk-${'a1'.repeat(16)} now`, `use ${R} now`],
    [`ghp_${'a1'.repeat(18)}`, R],
    ['Cookie: sid=abc; csrf=def', `Cookie: ${R}`],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE/+=\n-----END RSA PRIVATE KEY-----', `-----BEGIN RSA PRIVATE KEY-----${R}`],
    ['https://atrium.example/hooks/abcdefghijklmnopqrstuv', `https://atrium.example/hooks/${R}`],
  ])('are not told: %s', (text, shown) => expect(redactShown(text)).toBe(shown));

  it.each([
    'rm -r /tmp/x',
    'The secret: meet at noon.',
    'max_tokens=100, tokens: 1200',
    'Token ring networks and basic training',
    'https://x.example/path?page=2',
    'send_email {"to":"a@one.example","text":"All is well."}',
    'password={{ _secret.DB }}',
  ])('are told as they are: %s', (text) => expect(redactShown(text)).toBe(text));

  it('hide nothing that a shell would do', () => {
    for (const act of ['$(rm -rf ~)', '`reboot`', ';rm${IFS}-rf${IFS}~', '|sh', '&&reboot', '>/etc/passwd'])
      for (const text of [`curl https://x/?token=a${act}`, `x --password a${act}`, `psql postgres://a:b${act}@h`])
        expect(redactShown(text)).toContain(act);
  });

  it('are looked through in the time of their length', () => {
    const busy = cpuStopwatch();
    for (const piece of ['a', 'password', 'token=', 'eyJ', 'Bearer ', ':', 'a://', '--', '"', 'cookie: a=b;'])
      redactShown(piece.repeat(Math.ceil(20_000 / piece.length)));
    expect(busy()).toBeLessThan(3000);
  });

  it('are secret by the name of a member, where its value is one', () => {
    for (const name of ['password', 'clientSecret', 'x-api-key', 'access_token', 'Authorization'])
      expect([name, isShownSecret(name, 'Bearer abc')]).toEqual([name, true]);
    for (const name of ['max_tokens', 'to', 'subject', 'secretary', 'title'])
      expect(isShownSecret(name, 'abc')).toBe(false);
    expect(isShownSecret('password', '$(reboot)')).toBe(false);
  });
});
