import { cutText, parseKeepingNumbers } from '@app/common';
import { isExpression } from '../expression.js';
import type { Mapper, NodeMapping } from '../node-mapping.js';
import { jsonJs } from '../script.js';
import { refTo } from '../shape.js';
import { isObject } from '../json-object.js';
import { askPerson, MISSING_ADDRESS, recipient } from './api-call.js';

function noteCredentials(node: NodeMapping): void {
  const names = Object.values(node.source.credentials ?? {}).map((credential) =>
    isObject(credential) && typeof credential.name === 'string' ? credential.name : 'unnamed',
  );
  if (names.length > 0) node.note(`The credential “${names.join('”, “')}” is not in the export: add it as a secret.`);
}

/** `{ parameters: [{ name, value }] }` as an object. */
function pairs(node: NodeMapping, value: unknown): Record<string, unknown> {
  const list = isObject(value) && Array.isArray(value.parameters) ? value.parameters.filter(isObject) : [];
  return Object.fromEntries(
    list
      .filter(({ name }) => typeof name === 'string' && name !== '')
      .map(({ name, value: item }) => [String(name), node.value(item)]),
  );
}

function plainly(value: unknown): unknown {
  const isData = typeof value === 'object' && value !== null && !('$ref' in value);
  return isData ? JSON.stringify(value) : (value ?? null);
}

/** The address's query or the headers, which n8n takes as fields or as JSON text with expressions in it. */
function namedTexts(node: NodeMapping, specified: unknown, fields: unknown, json: unknown): unknown {
  if (specified !== 'json') return texts(pairs(node, fields));
  if (isExpression(json)) return node.value(`={{ ${jsonJs(json)} }}`);
  try {
    const value: unknown = typeof json === 'string' ? parseKeepingNumbers(json) : json;
    if (isObject(value)) return texts(value);
  } catch {
    // It is said below.
  }
  node.note('The query or the headers are no JSON object: set them anew.');
  return {};
}

/** What can stand in an address or a header: no lists and objects, but references to what only the run knows. */
function texts(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plainly(value)]));
}

/** A JSON body: a value, or a text that becomes JSON once its expressions are filled in. */
function jsonOf(node: NodeMapping, value: unknown): unknown {
  if (typeof value !== 'string') return node.value(value);
  const text = value.trim();
  if (/^=\s*\{\{[\s\S]*\}\}$/.test(text)) return node.value(text.replace(/^=\s*/, '='));
  try {
    return parseKeepingNumbers(text.replace(/^=/, ''));
  } catch {
    node.note('The body is put together as a text: check that it is JSON whatever the values are.');
    return node.value(text);
  }
}

function bodyOf(node: NodeMapping, parameters: Record<string, unknown>): Record<string, unknown> {
  const { sendBody, contentType = 'json', specifyBody, bodyParameters, jsonBody, body, rawContentType } = parameters;
  if (sendBody !== true) return {};
  switch (contentType) {
    case 'json': {
      const content = specifyBody === 'json' ? jsonOf(node, jsonBody) : pairs(node, bodyParameters);
      // A text that was put together is sent as it is.
      return typeof content === 'string'
        ? { body_kind: 'text', body: content, content_type: 'application/json' }
        : { body_kind: 'json', body: content };
    }
    case 'form-urlencoded':
      if (specifyBody === 'string')
        return { body_kind: 'text', body: node.text(body), content_type: 'application/x-www-form-urlencoded' };
      return { body_kind: 'form', body: pairs(node, bodyParameters) };
    case 'multipart-form-data':
      return { body_kind: 'multipart', body: pairs(node, bodyParameters) };
    case 'raw':
      return { body_kind: 'text', body: node.text(body), content_type: String(rawContentType ?? 'text/plain') };
    default:
      node.note('The body is a file and is not sent.');
      return {};
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function methodOf(node: NodeMapping, method: unknown): string {
  const name = String(method).replace(/^=/, '').trim().toUpperCase();
  if (METHODS.has(name)) return name;
  node.note('Its method is computed, and is POST here: choose it.');
  return 'POST';
}

/** n8n lets the scheme be left out, and templates leave the whole address to whoever uses them. */
function addressOf(node: NodeMapping, url: unknown): unknown {
  const value = node.text(url);
  const text = typeof value === 'string' ? value.trim() : value;
  if (text === '') {
    node.note('The address is not in the export: fill it in.');
    return MISSING_ADDRESS;
  }
  if (typeof text !== 'string' || /^(?:https?:\/\/(?:[^\s<>/{}]|\{\{[^{}]*\}\})+(?:[/?#]|$)|\{\{)/i.test(text))
    return text;
  if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(text)) return `https://${text}`;
  node.note(`“${cutText(text, 100)}” is no address: fill it in.`);
  return MISSING_ADDRESS;
}

const fieldsOfForm = (ui: unknown) => ({ parameters: isObject(ui) ? ui.parameter : [] });

/** The parameters of the first two versions as those of the ones since. */
function sinceThird({ parameters, source }: NodeMapping): Record<string, unknown> {
  if (source.typeVersion >= 3 || parameters.sendBody !== undefined) return parameters;
  const { jsonParameters, requestMethod, responseFormat, options, ...others } = parameters;
  const settings = isObject(options) ? options : {};
  const method = others.method ?? requestMethod ?? 'GET';
  const content = settings.bodyContentType ?? 'json';
  const isJson = jsonParameters === true;
  const body = isJson ? others.bodyParametersJson : others.bodyParametersUi;
  const isRaw = isJson && content === 'raw';
  return {
    ...others,
    method,
    sendQuery: true,
    ...(isJson && { specifyQuery: 'json', specifyHeaders: 'json', specifyBody: 'json' }),
    queryParameters: fieldsOfForm(others.queryParametersUi),
    jsonQuery: others.queryParametersJson ?? '{}',
    sendHeaders: true,
    headerParameters: fieldsOfForm(others.headerParametersUi),
    jsonHeaders: others.headerParametersJson ?? '{}',
    sendBody: body !== undefined && !/^(?:GET|HEAD|OPTIONS)$/.test(String(method)),
    contentType: content,
    rawContentType: settings.bodyContentCustomMimeType,
    bodyParameters: fieldsOfForm(others.bodyParametersUi),
    ...(isRaw ? { body } : { jsonBody: body }),
    options: {
      ...settings,
      response: {
        response: {
          responseFormat: responseFormat === 'string' ? 'text' : responseFormat,
          fullResponse: settings.fullResponse,
        },
      },
      ...(settings.followRedirect === false && { redirect: { redirect: { followRedirects: false } } }),
    },
  };
}

const httpRequest: Mapper = (node) => {
  const parameters = sinceThird(node);
  const {
    method,
    requestMethod,
    url,
    authentication,
    sendQuery,
    specifyQuery,
    queryParameters,
    jsonQuery,
    sendHeaders,
    specifyHeaders,
    headerParameters,
    jsonHeaders,
    options,
  } = parameters;
  if (!node.has('http_request')) return null;
  const settings = isObject(options) ? options : {};
  const response =
    isObject(settings.response) && isObject(settings.response.response) ? settings.response.response : {};
  if (authentication !== undefined && authentication !== 'none') noteCredentials(node);
  if (isObject(settings.pagination)) node.note('Only the first page is fetched: set the pages anew.');
  const seconds = typeof settings.timeout === 'number' ? settings.timeout / 1_000 : 0;
  const { outputs, isList } = node.addForEach('http_request', () => ({
    method: methodOf(node, method ?? requestMethod ?? 'GET'),
    url: addressOf(node, url),
    ...(sendQuery === true && given('query', namedTexts(node, specifyQuery, queryParameters, jsonQuery))),
    ...(sendHeaders === true && given('headers', namedTexts(node, specifyHeaders, headerParameters, jsonHeaders))),
    ...bodyOf(node, parameters),
    ...(isObject(settings.redirect) &&
      isObject(settings.redirect.redirect) &&
      settings.redirect.redirect.followRedirects === false && { follow_redirects: false }),
    ...(response.neverError === true && { fail_on_status: false }),
    ...(response.responseFormat === 'text' && { response: 'text' }),
    ...(response.responseFormat === 'file' && { response: 'file' }),
    ...(seconds > 0 && { timeout_seconds: Math.min(Math.max(seconds, 1), 120) }),
  }));
  const whole = response.fullResponse === true;
  const item = (at: string): unknown => {
    if (whole) return { body: refTo(`${at}.body`), headers: refTo(`${at}.headers`), statusCode: refTo(`${at}.status`) };
    if (response.responseFormat === 'text') return { data: refTo(`${at}.body`) };
    return refTo(response.responseFormat === 'file' ? `${at}.file` : `${at}.body`);
  };
  if (isList) {
    const field = whole ? '' : response.responseFormat === 'file' ? '.file' : '.body';
    const wrap = response.responseFormat === 'text' && !whole ? '({ data: value })' : 'value';
    // n8n makes an item of each entry when the answer is a list.
    const code = `return items.flatMap((answer) => [answer${field}].flat()).map((value) => ${wrap});`;
    const { id } = node.add('code', { code, items: refTo(outputs) }, 'answers');
    return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
  }
  const isJson = !whole && response.responseFormat !== 'text' && response.responseFormat !== 'file';
  if (isJson) return { shapes: [{ type: 'either', ref: `${outputs}.body` }] };
  return { shapes: [{ type: 'single', item: item(outputs) }] };
};

function given(name: string, value: unknown): Record<string, unknown> {
  return isObject(value) && Object.keys(value).length === 0 ? {} : { [name]: value };
}

const emailSend: Mapper = (node) => {
  const { toEmail, subject, emailFormat = 'html', text, html, message, ccEmail, bccEmail, options } = node.parameters;
  if (node.parameters.operation === 'sendAndWait') return askPerson(node);
  if (!node.has('send_email')) return null;
  const more = isObject(options) ? options : {};
  node.note('It is sent by the mail server of this deployment, in the name of the owner of the workflow.');
  const other = (value: unknown, name: string) =>
    typeof value === 'string' && value !== '' ? { [name]: node.text(value) } : {};
  node.addForEach('send_email', () => ({
    to: recipient(node, toEmail),
    ...other(ccEmail ?? more.ccEmail, 'cc'),
    ...other(bccEmail ?? more.bccEmail, 'bcc'),
    subject: node.text(subject) || '(no subject)',
    ...(emailFormat !== 'html' && { text: node.text(text ?? message) }),
    ...(emailFormat !== 'text' && { html: node.text(html ?? message) }),
  }));
  return { shapes: [node.input] };
};

export const services: Record<string, Mapper> = { httpRequest, emailSend };
