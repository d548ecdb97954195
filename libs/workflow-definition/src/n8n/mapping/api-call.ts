import type { MappedOutputs, NodeMapping } from '../node-mapping.js';
import { isObject } from '../json-object.js';
import { refTo } from '../shape.js';

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  query?: Record<string, unknown>;
  body?: unknown;
  /** The secret that stands for the credential; `prefix` for services that do not take a bearer token. */
  secret: string;
  prefix?: string;
  headers?: Record<string, string>;
  /** Where in the answer the items are; absent: the answer itself. */
  items?: string;
}

/** The address stands for one that the export leaves open: it leads nowhere (RFC 2606). */
export const MISSING_ADDRESS = 'https://address-missing.invalid/';

/**
 * What n8n's node for a service does, by the HTTP interface of that service.
 * @param make called for each item: `value` and `text` of the node mean that item in it.
 */
export function callApi(node: NodeMapping, service: string, make: () => ApiCall): MappedOutputs | null {
  if (!node.has('http_request')) return null;
  let items: string | undefined;
  let secret = '';
  const { outputs, isList } = node.addForEach('http_request', () => {
    const call = make();
    ({ items, secret } = call);
    const query = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined && value !== '');
    return {
      method: call.method ?? 'GET',
      url: call.url,
      ...(query.length > 0 && { query: Object.fromEntries(query) }),
      ...(call.headers && { headers: call.headers }),
      ...(call.secret !== '' && authOf(call)),
      ...(call.body !== undefined && { body_kind: 'json', body: call.body }),
    };
  });
  const needs = secret === '' ? '' : ` Add its access token as the secret “${secret}”.`;
  node.note(`It calls the HTTP interface of ${service}, and the answer has the shape that has there.${needs}`);
  if (!isList && items === undefined) return { shapes: [{ type: 'either', ref: `${outputs}.body` }] };
  if (!isList) return { shapes: [{ type: 'list', ref: `${outputs}.body.${items!}` }] };
  const field = items === undefined ? '.body' : `.body?.${items}`;
  const code = `return items.flatMap((answer) => [answer${field} ?? []].flat());`;
  const { id } = node.add('code', { code, items: refTo(outputs) }, 'answers');
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
}

function authOf({ secret, prefix }: ApiCall): Record<string, unknown> {
  const value = `{{_secret.${secret}}}`;
  if (prefix === undefined) return { auth: 'bearer', token: value };
  return { auth: 'header', key_name: 'Authorization', key_value: `${prefix} ${value}` };
}

/** The value of a chooser, which n8n keeps as `{ __rl, mode, value }`. */
export function chosenIn(parameter: unknown): unknown {
  return isObject(parameter) && 'value' in parameter ? parameter.value : parameter;
}

/** A part of an address; what the export leaves open is named, and noted. */
export function part(node: NodeMapping, parameter: unknown, name: string): string {
  const value = node.text(chosenIn(parameter));
  const text = isObject(value) && '$ref' in value ? `{{${String(value.$ref)}}}` : String(value);
  if (text !== '') return text;
  node.note(`${name} is not in the export: choose it.`);
  return name.toUpperCase().replaceAll(/[^A-Z]+/g, '_');
}

const ADDRESS = /^(?:[^<>@]*<)?[^\s<>@,;]+@[\w-]+(?:\.[\w-]+)+>?$/;

/** An address for mail; where the export has none, one that nobody has (RFC 2606). */
export function recipient(node: NodeMapping, parameter: unknown): unknown {
  const value = node.text(Array.isArray(parameter) ? parameter.join(', ') : parameter);
  const isAddress =
    typeof value !== 'string' || value.includes('{{') || value.split(/[,;]/).every((one) => ADDRESS.test(one.trim()));
  if (isAddress) return value;
  node.note('The recipient is not in the export, or is no address: fill it in.');
  return 'nobody@address-missing.invalid';
}

/** Asking a person by mail or messenger and waiting for the answer. */
export function askPerson(node: NodeMapping): MappedOutputs | null {
  if (!node.has('approval')) return null;
  node.note('The person is asked in this product, not by mail or messenger.');
  const { id } = node.add('approval', { message: node.text(node.parameters.message) || 'Please decide.' });
  return { shapes: [{ type: 'single', item: { data: { approved: refTo(`_output.${id}.approved`) } } }] };
}

export function record(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
