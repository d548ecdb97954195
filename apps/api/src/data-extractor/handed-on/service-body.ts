import { InvalidRequestError } from '@app/common';

/** The fields of a body that are handed on: what else a client sent, such as whose the table shall be, stays here. */
export function fieldsOf(body: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidRequestError('A JSON object is required.', { code: 'invalid_body' });
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

/** Texts of a list, such as ids. @throws InvalidRequestError `<name>_required` */
export function textsOf(value: unknown, name: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')) return value as string[];
  throw new InvalidRequestError(`${name} must be a list of ids.`, { code: `${name}_required` });
}

/** Filters that the service knows, as they came. Lists and objects of a query are none. */
export function queryOf(query: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name];
      return typeof value === 'string' && value !== '' ? [[name, value.slice(0, 1000)]] : [];
    }),
  );
}
