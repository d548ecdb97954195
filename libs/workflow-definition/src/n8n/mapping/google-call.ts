import type { MappedOutputs, NodeMapping } from '../node-mapping.js';
import { type ApiCall, callApi, part } from './api-call.js';

export const SECRET = 'google_token';
export const REST = 'A token of Google lasts an hour: renew it, or use the OAuth sign-in of the node.';

export function google(node: NodeMapping, service: string, make: () => Omit<ApiCall, 'secret'>): MappedOutputs | null {
  node.note(REST);
  return callApi(node, service, () => ({ ...make(), secret: SECRET }));
}

/** The id in `https://docs.google.com/…/d/<id>/edit`, or as it is. */
export function fileId(node: NodeMapping, parameter: unknown, name: string): string {
  const text = part(node, parameter, name);
  return /\/(?:d|folders)\/([\w-]+)/.exec(text)?.[1] ?? text;
}

/** What every request to fetch something begins with. */
export const READ = { method: 'GET', auth: 'bearer', token: `{{_secret.${SECRET}}}` };
