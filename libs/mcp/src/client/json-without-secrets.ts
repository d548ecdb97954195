import { isDictionary } from '@app/common';
import { withoutSecrets } from './to-mcp-failure.js';

/**
 * The same value without the secrets, in texts, names and numbers: what is replaced in its JSON instead would be no JSON
 * any more where a secret of digits stands within a number.
 */
export function jsonWithoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  const clean = (text: string) => withoutSecrets(text, secrets);
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return clean(one);
    if (typeof one === 'number') {
      const text = clean(String(one));
      return text === String(one) ? one : text;
    }
    if (Array.isArray(one)) return one.map(walk);
    if (!isDictionary(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [clean(name), walk(inner)]));
  };
  return walk(value);
}
