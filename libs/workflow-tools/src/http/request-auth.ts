import { type ToolContext, ToolError } from '@app/workflow-definition';
import type { HttpParams } from './http-params.js';
import { accessToken } from './oauth-token.js';

export interface Credentials {
  headers: Record<string, string>;
  query: Record<string, string>;
}

/** What shows who calls. With `fresh`, an OAuth token that was refused is not used again. */
export async function credentialsOf(params: HttpParams, context: ToolContext, fresh: boolean): Promise<Credentials> {
  const none: Credentials = { headers: {}, query: {} };
  switch (params.auth) {
    case 'none':
      return none;
    case 'basic': {
      const pair = Buffer.from(`${params.username}:${params.password}`).toString('base64');
      return { ...none, headers: { authorization: `Basic ${pair}` } };
    }
    case 'bearer':
      return { ...none, headers: { authorization: `Bearer ${required(params.token, 'token')}` } };
    case 'header':
      return { ...none, headers: { [required(params.key_name, 'key_name').toLowerCase()]: params.key_value } };
    case 'query':
      return { ...none, query: { [required(params.key_name, 'key_name')]: params.key_value } };
    case 'oauth2':
      return { ...none, headers: { authorization: `Bearer ${await accessToken(params, context, fresh)}` } };
  }
}

function required(value: string, name: string): string {
  if (value === '') throw new ToolError('invalid_params', `${name}: This field is required.`, false);
  return value;
}
