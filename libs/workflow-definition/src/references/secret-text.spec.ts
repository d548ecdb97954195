import { compileParams } from './params-template.js';
import { revealSecrets } from './secret-text.js';

const scope = (outputs: Record<string, unknown>, payload: Record<string, unknown> | null = null) => ({
  output: (id: string) => outputs[id],
  payload,
  warn: () => undefined,
});
const isNodeId = (id: string) => id === 'a';
const secrets = new Map([
  ['key', 's3cret-value'],
  ['other', 'another'],
]);

describe('secrets in params', () => {
  const params = {
    url: 'https://x.example/{{_output.a.path}}?k={{ _secret.key }}',
    headers: [{ name: 'Authorization', value: 'Bearer {{_secret.key}}' }],
    whole: { $ref: '_secret.other' },
    plain: { deep: [1, 2] },
  };
  const template = compileParams(params, isNodeId);

  it('are named, and stay names until the hand-over', () => {
    expect(template.secretNames).toEqual(['key', 'other']);
    const resolved = template.resolve(scope({ a: { path: 'p' } }));
    expect(JSON.parse(JSON.stringify(resolved))).toEqual({
      ...params,
      url: 'https://x.example/p?k={{_secret.key}}',
      whole: '{{_secret.other}}',
    });
    expect(`${String(resolved.url)}`).not.toContain('s3cret');
    expect(revealSecrets(resolved, secrets)).toEqual({
      url: 'https://x.example/p?k=s3cret-value',
      headers: [{ name: 'Authorization', value: 'Bearer s3cret-value' }],
      whole: 'another',
      plain: { deep: [1, 2] },
    });
    expect(revealSecrets(resolved, secrets).plain).toBe(params.plain);
    expect(() => revealSecrets(resolved, new Map())).toThrow('There is no value for the secret');
  });

  it('cannot be asked for from outside: only the definition names them', () => {
    const hostile = '{{_secret.key}}';
    const echo = compileParams(
      { text: 'got {{_output.a.text}} {{_webhook_payload.text}}', value: { $ref: '_output.a' } },
      isNodeId,
    );
    expect(echo.secretNames).toEqual([]);
    const outputs = { a: { text: hostile, $ref: '_secret.key' } };
    const resolved = echo.resolve(scope(outputs, { text: hostile }));
    expect(revealSecrets(resolved, secrets)).toEqual({
      text: `got ${hostile} ${hostile}`,
      value: { text: hostile, $ref: '_secret.key' },
    });
  });
});
