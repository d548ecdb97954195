import { parseKeepingNumbers } from '@app/common';
import { isObject } from '../json-object.js';
import type { Mapper } from '../node-mapping.js';
import { type ApiCall, askPerson, callApi, chosenIn, part, recipient, record } from './api-call.js';
import { notion } from './notion.js';

const airtable: Mapper = (node) => {
  const {
    resource = 'record',
    operation = 'get',
    base,
    application,
    table,
    id,
    columns,
    filterByFormula,
    limit,
  } = node.parameters;
  const what = operation === 'append' ? 'create' : operation === 'list' ? 'search' : operation;
  const root = 'https://api.airtable.com/v0';
  const secret = 'airtable_token';
  const ofBase = () => part(node, base ?? application, 'base id');
  const rows = () => `${root}/${ofBase()}/${part(node, table, 'table id')}`;
  const row = () => `${rows()}/${part(node, id ?? record(record(columns).value).id, 'record id')}`;
  const fields = () => {
    const { mappingMode, value } = record(columns);
    if (mappingMode === 'autoMapInputData' || !isObject(value)) return node.value('={{ $json }}');
    return node.value(Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id')));
  };
  const call = (make: () => Omit<ApiCall, 'secret'>) => callApi(node, 'Airtable', () => ({ secret, ...make() }));
  if (resource === 'base')
    return call(() => ({
      url: operation === 'getSchema' ? `${root}/meta/bases/${ofBase()}/tables` : `${root}/meta/bases`,
    }));
  switch (what) {
    case 'search':
      return call(() => ({
        url: rows(),
        query: {
          filterByFormula: node.text(filterByFormula),
          maxRecords: typeof limit === 'number' ? limit : undefined,
        },
        items: 'records',
      }));
    case 'get':
      return call(() => ({ url: row() }));
    case 'create':
      return call(() => ({ method: 'POST', url: rows(), body: { fields: fields(), typecast: true } }));
    case 'update':
      return call(() => ({ method: 'PATCH', url: row(), body: { fields: fields(), typecast: true } }));
    case 'upsert': {
      const { matchingColumns } = record(columns);
      const fieldsToMergeOn = Array.isArray(matchingColumns) ? matchingColumns.map(String) : [];
      return call(() => ({
        method: 'PATCH',
        url: rows(),
        body: { performUpsert: { fieldsToMergeOn }, records: [{ fields: fields() }], typecast: true },
      }));
    }
    case 'deleteRecord':
      return call(() => ({ method: 'DELETE', url: row() }));
    default:
      return null;
  }
};

const todoist: Mapper = (node) => {
  const { resource = 'task', operation = 'create', content, taskId, project } = node.parameters;
  if (resource !== 'task') return null;
  const root = 'https://api.todoist.com/api/v1/tasks';
  const call = (make: () => Omit<ApiCall, 'secret'>) =>
    callApi(node, 'Todoist', () => ({ secret: 'todoist_token', ...make() }));
  const at = (more = '') => `${root}/${part(node, taskId, 'task id')}${more}`;
  const more = () => {
    const { description, priority, dueString } = record(node.parameters.options);
    const given = Object.entries({ description, priority, due_string: dueString }).filter(
      ([, value]) => value !== undefined,
    );
    return Object.fromEntries(given.map(([name, value]) => [name, node.value(value)]));
  };
  switch (operation) {
    case 'create': {
      const chosen = chosenIn(project);
      const within = () => (chosen === undefined || chosen === '' ? {} : { project_id: node.text(chosen) });
      return call(() => ({ method: 'POST', url: root, body: { content: node.text(content), ...within(), ...more() } }));
    }
    case 'getAll':
      return call(() => ({ url: root, items: 'results' }));
    case 'get':
      return call(() => ({ url: at() }));
    case 'update':
      return call(() => ({ method: 'POST', url: at(), body: more() }));
    case 'close':
    case 'reopen':
      return call(() => ({ method: 'POST', url: at(`/${operation}`) }));
    case 'delete':
      return call(() => ({ method: 'DELETE', url: at() }));
    default:
      return null;
  }
};

const twitter: Mapper = (node) => {
  const { resource = 'tweet', operation = 'create', text } = node.parameters;
  if (resource !== 'tweet' || operation !== 'create') return null;
  return callApi(node, 'X', () => ({
    method: 'POST',
    url: 'https://api.x.com/2/tweets',
    secret: 'x_token',
    body: { text: node.text(text) },
  }));
};

const facebookGraphApi: Mapper = (node) => {
  const { graphApiVersion = 'v22.0', node: object, edge, httpRequestMethod = 'GET', options } = node.parameters;
  const { queryParameters, fields } = record(options);
  const parameters = record(queryParameters).parameter;
  const named = Array.isArray(parameters) ? parameters.filter(isObject) : [];
  const wanted = record(fields).field;
  const names = Array.isArray(wanted) ? wanted.filter(isObject).map(({ name }) => String(name)) : [];
  const method = (['GET', 'POST', 'DELETE'] as const).find((one) => one === httpRequestMethod);
  if (!method) return null;
  return callApi(node, 'the Graph API', () => ({
    method,
    url: `https://graph.facebook.com/${String(graphApiVersion) || 'v22.0'}/${part(node, object, 'node')}${typeof edge === 'string' && edge !== '' ? `/${part(node, edge, 'edge')}` : ''}`,
    query: {
      ...Object.fromEntries(named.map(({ name, value }) => [String(name), node.text(value)])),
      ...(names.length > 0 && { fields: names.join(',') }),
    },
    secret: 'facebook_token',
  }));
};

const graphql: Mapper = (node) => {
  const { endpoint, query, variables } = node.parameters;
  const url = String(part(node, endpoint, 'address'));
  const given =
    typeof variables === 'string' && variables !== '' && !variables.startsWith('=')
      ? readJson(variables)
      : node.value(variables);
  return callApi(node, 'the service', () => ({
    method: 'POST',
    url: /^(?:https:|\{\{)/.test(url) ? url : `https://address-missing.invalid/${url}`,
    secret: '',
    body: { query: node.text(query), ...(given !== undefined && given !== '' && { variables: given }) },
  }));
};

function readJson(text: string): unknown {
  try {
    return parseKeepingNumbers(text);
  } catch {
    return {};
  }
}

const microsoftOutlook: Mapper = (node) => {
  const {
    resource = 'message',
    operation = 'send',
    toRecipients,
    subject,
    bodyContent,
    additionalFields,
  } = node.parameters;
  if (operation === 'sendAndWait') return askPerson(node);
  if (resource !== 'message' || operation !== 'send' || !node.has('send_email')) return null;
  const isText = record(additionalFields).bodyContentType !== 'html';
  node.note('It is sent by the mail server of this deployment, in the name of the owner of the workflow.');
  node.addForEach('send_email', () => ({
    to: recipient(node, toRecipients),
    subject: node.text(subject) || '(no subject)',
    [isText ? 'text' : 'html']: node.text(bodyContent) || ' ',
  }));
  return { shapes: [node.input] };
};

export const records: Record<string, Mapper> = {
  notion,
  airtable,
  todoist,
  twitter,
  facebookGraphApi,
  graphql,
  microsoftOutlook,
};
