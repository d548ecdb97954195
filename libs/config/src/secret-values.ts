import { concerns } from './concerns/index.js';
import type { AppConfig } from './load.js';
import type { Concern } from './setting.js';

/** The secrets of the deployment, as they are and as they stand within addresses: what has to be told to nobody. */
export function secretValues(config: AppConfig): string[] {
  const given = Object.entries(concerns).flatMap(([name, concern]) => {
    const values = config[name as keyof typeof concerns] as Readonly<Record<string, unknown>>;
    return Object.entries(concern as Concern).flatMap(([key, { secret }]) => (secret ? [values[key]].flat() : []));
  });
  const keys = config.models.list.map(({ apiKey }) => apiKey);
  const texts = [...given, ...keys].filter((value): value is string => typeof value === 'string' && value !== '');
  const passwords = texts.map((text) => decodedPassword(text)).filter((password) => password !== '');
  return [...new Set([...texts, ...passwords])];
}

function decodedPassword(address: string): string {
  const password = URL.parse(address)?.password ?? '';
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
