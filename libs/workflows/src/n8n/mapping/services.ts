import type { Mapper, NodeMapping } from '../node-mapping.js';
import { refTo } from '../shape.js';
import { isObject } from '../json-object.js';

function noteCredentials(node: NodeMapping): void {
  const names = Object.values(node.source.credentials ?? {}).map((credential) =>
    isObject(credential) && typeof credential.name === 'string' ? credential.name : 'unnamed',
  );
  if (names.length > 0) node.note(`The credential “${names.join('”, “')}” is not in the export: add it as a secret.`);
}

/** `{ parameters: [{ name, value }] }` as an object. */
function pairs(node: NodeMapping, value: unknown): Record<string, unknown> {
  const list = isObject(value) && Array.isArray(value.parameters) ? value.parameters.filter(isObject) : [];
  return Object.fromEntries(list.map(({ name, value: item }) => [String(name), node.value(item)]));
}

/** A JSON body: a value, or a text that becomes JSON once its expressions are filled in. */
function jsonOf(node: NodeMapping, value: unknown): unknown {
  if (typeof value !== 'string') return node.value(value);
  const text = value.trim();
  if (/^=\s*\{\{[\s\S]*\}\}$/.test(text)) return node.value(text.replace(/^=\s*/, '='));
  try {
    return JSON.parse(text.replace(/^=/, '')) as unknown;
  } catch {
    node.note('The body is put together as a text: check that it is JSON whatever the values are.');
    return node.value(text);
  }
}

function bodyOf(node: NodeMapping): Record<string, unknown> {
  const {
    sendBody,
    contentType = 'json',
    specifyBody,
    bodyParameters,
    jsonBody,
    body,
    rawContentType,
  } = node.parameters;
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

const httpRequest: Mapper = (node) => {
  const {
    method,
    requestMethod,
    url,
    authentication,
    sendQuery,
    queryParameters,
    sendHeaders,
    headerParameters,
    options,
  } = node.parameters;
  if (!node.has('http_request')) return null;
  const settings = isObject(options) ? options : {};
  const response =
    isObject(settings.response) && isObject(settings.response.response) ? settings.response.response : {};
  if (authentication !== undefined && authentication !== 'none') noteCredentials(node);
  if (isObject(settings.pagination)) node.note('Only the first page is fetched: set the pages anew.');
  const seconds = typeof settings.timeout === 'number' ? settings.timeout / 1_000 : 0;
  const { outputs, isList } = node.addForEach('http_request', () => ({
    method: String(method ?? requestMethod ?? 'GET').toUpperCase(),
    url: node.text(url),
    ...(sendQuery === true && { query: pairs(node, queryParameters) }),
    ...(sendHeaders === true && { headers: pairs(node, headerParameters) }),
    ...bodyOf(node),
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

const emailSend: Mapper = (node) => {
  const { toEmail, subject, emailFormat = 'html', text, html, message, ccEmail, bccEmail, options } = node.parameters;
  if (!node.has('send_email')) return null;
  const more = isObject(options) ? options : {};
  node.note('It is sent by the mail server of this deployment, in the name of the owner of the workflow.');
  const other = (value: unknown, name: string) =>
    typeof value === 'string' && value !== '' ? { [name]: node.text(value) } : {};
  node.addForEach('send_email', () => ({
    to: node.text(toEmail),
    ...other(ccEmail ?? more.ccEmail, 'cc'),
    ...other(bccEmail ?? more.bccEmail, 'bcc'),
    subject: node.text(subject),
    ...(emailFormat !== 'html' && { text: node.text(text ?? message) }),
    ...(emailFormat !== 'text' && { html: node.text(html ?? message) }),
  }));
  return { shapes: [node.input] };
};

/** The prompt of a model node, whichever of the many that n8n has. */
function promptOf(node: NodeMapping): { prompt: unknown; system: unknown } | null {
  const { text, prompt, messages, promptType, options, responses } = node.parameters;
  const system = isObject(options) ? (options.systemMessage ?? '') : '';
  const holder = isObject(messages)
    ? (messages.values ?? messages.messageValues)
    : isObject(responses)
      ? responses.values
      : null;
  const list = Array.isArray(holder) ? holder.filter(isObject) : [];
  const said = (role: string) =>
    list
      .filter((one) => (one.role ?? 'user') === role || (role === 'user' && one.type === 'HumanMessagePromptTemplate'))
      .map((one) => one.content ?? one.message);
  const asked =
    promptType === 'auto'
      ? '={{ $json.chatInput }}'
      : (text ?? prompt ?? said('user').at(-1) ?? '={{ $json.chatInput }}');
  if (typeof asked !== 'string' || asked === '') return null;
  return { prompt: asked, system: said('system')[0] ?? system };
}

/** @param field under which n8n hands on the answer. */
const model =
  (field: string): Mapper =>
  (node) => {
    if (!node.has('language_model') || !promptOf(node)) return null;
    node.note('It asks the language model of this deployment, without the tools and the memory that it may have had.');
    const { outputs, isList } = node.addForEach('language_model', () => {
      const { prompt, system } = promptOf(node)!;
      return { prompt: node.text(prompt), ...(system !== '' && { system: node.text(system) }) };
    });
    if (isList) {
      const answer = field === 'message' ? '{ message: { content: text } }' : `{ ${field}: text }`;
      const { id } = node.add(
        'code',
        { code: `return items.map(({ text }) => (${answer}));`, items: refTo(outputs) },
        'answers',
      );
      return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
    }
    const answer = refTo(`${outputs}.text`);
    return { shapes: [{ type: 'single', item: { [field]: field === 'message' ? { content: answer } : answer } }] };
  };

export const services: Record<string, Mapper> = {
  httpRequest,
  emailSend,
  agent: model('output'),
  chainLlm: model('text'),
  openAi: model('message'),
};
