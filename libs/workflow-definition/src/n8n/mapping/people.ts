import { cutText, parseKeepingNumbers } from '@app/common';
import { isObject } from '../json-object.js';
import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { listValue, refTo, singleAt } from '../shape.js';
import { chosenIn, record } from './api-call.js';
import { passOn } from './pass-on.js';

const FIELD_TYPES = new Map(
  Object.entries({ number: 'number', date: 'date', dropdown: 'choice', radio: 'choice', checkbox: 'boolean' }),
);

/** What a person is asked for by a form, under names that can be fields here. */
function formFields(value: unknown): { field: Record<string, unknown>; label: string }[] {
  const list = record(value).values;
  const used = new Set<string>();
  return (Array.isArray(list) ? list.filter(isObject) : []).slice(0, 50).map((one, index) => {
    const label = cutText(String(one.fieldLabel ?? one.fieldName ?? `Field ${index + 1}`), 500);
    let name =
      label
        .normalize('NFKD')
        .replaceAll(/[^A-Za-z0-9]+/g, '_')
        .replaceAll(/^[_0-9]+|_+$/g, '')
        .slice(0, 50) || 'field';
    while (used.has(name)) name = `${name}_${index + 1}`;
    used.add(name);
    const choices = record(one.fieldOptions).values;
    const options = (Array.isArray(choices) ? choices.filter(isObject) : [])
      .map(({ option }) => cutText(String(option ?? ''), 200))
      .filter(Boolean);
    const asked = FIELD_TYPES.get(String(one.fieldType ?? 'text')) ?? 'text';
    const type =
      options.length > 0
        ? 'choice'
        : asked === 'choice' || asked === 'boolean'
          ? asked === 'boolean'
            ? 'boolean'
            : 'text'
          : asked;
    return {
      field: { name, label, type, required: one.requiredField === true, ...(options.length > 0 && { options }) },
      label,
    };
  });
}

function askForm(node: NodeMapping, title: unknown, fields: ReturnType<typeof formFields>): MappedOutputs | null {
  if (!node.has('form') || fields.length === 0) return null;
  node.note('The form is shown in this product to those who may answer for the workflow, not on a page of its own.');
  const message = node.text(title) || 'Please fill in the form.';
  const { id } = node.add('form', { message, fields: fields.map(({ field }) => field) });
  const item = Object.fromEntries(
    fields.map(({ label, field }) => [label, refTo(`_output.${id}.answers.${String(field.name)}`)]),
  );
  return { shapes: [{ type: 'single', item }] };
}

const form: Mapper = (node) => {
  const {
    operation = 'page',
    completionTitle,
    completionMessage,
    respondWith,
    redirectUrl,
    formFields: fields,
    options,
    formTitle,
    jsonOutput,
  } = node.parameters;
  if (operation === 'completion') {
    node.note('Its page is not shown; what it would say is kept as an output of the run.');
    const fieldsShown =
      respondWith === 'redirect'
        ? { redirect: node.text(redirectUrl) }
        : { title: node.text(completionTitle), message: node.text(completionMessage) };
    node.add('set', { fields: fieldsShown }).save_output = true;
    return { shapes: [node.input] };
  }
  const read = typeof jsonOutput === 'string' ? { values: parsed(jsonOutput) } : fields;
  const asked = formFields(read);
  if (asked.length === 0) {
    node.note('Its fields are not in the export, or are computed: add them.');
    asked.push({ field: { name: 'answer', label: 'Answer', type: 'text', required: false }, label: 'Answer' });
  }
  return askForm(node, formTitle ?? record(options).formTitle, asked);
};

function parsed(json: string): unknown {
  try {
    return parseKeepingNumbers(json.replace(/^=/, ''));
  } catch {
    return [];
  }
}

/** A wait until something calls back: here until a person says so. */
export function waitForSomebody(node: NodeMapping): MappedOutputs | null {
  const { resume, formTitle, formFields: fields } = node.parameters;
  if (resume === 'form') return askForm(node, formTitle, formFields(fields));
  if (resume !== 'webhook' || !node.has('approval')) return null;
  node.note('It waits until somebody goes on with it in this product, not until an address is called.');
  node.add('approval', { message: 'Go on with this run?' });
  return { shapes: [node.input] };
}

/** An id that no workflow has. */
const NO_WORKFLOW = '00000000-0000-4000-8000-000000000000';

const executeWorkflow: Mapper = (node) => {
  const { workflowId, workflowInputs } = node.parameters;
  if (!node.has('sub_workflow')) return null;
  const cached = record(workflowId).cachedResultName;
  const name = typeof cached === 'string' && cached !== '' ? cached : String(chosenIn(workflowId) ?? '');
  node.note(
    `Import the workflow that it calls${name === '' ? '' : ` (“${cutText(name, 100)}”)`} too, and choose it here.`,
  );
  const given = record(record(workflowInputs).value);
  const shape = node.input;
  const isMapped = Object.keys(given).length > 0;
  if (shape.type !== 'single' && isMapped) node.note('It runs once, for the first item; n8n runs it for each.');
  const inputs = isMapped
    ? node.value(given)
    : shape.type === 'single'
      ? shape.item
      : { items: listValue(shape) ?? refTo(shape.ref) };
  const { id } = node.add('sub_workflow', { workflow_id: NO_WORKFLOW, inputs });
  return { shapes: [{ type: 'either', ref: `_output.${id}.result` }] };
};

const crypto: Mapper = (node) => {
  const {
    action = 'hash',
    type = 'MD5',
    value,
    dataPropertyName = 'data',
    encoding = 'hex',
    binaryData,
    encodingType,
    generateType,
  } = node.parameters;
  if (!node.has('crypto') || binaryData === true) return null;
  const name = String(dataPropertyName) || 'data';
  const hashed = (params: Record<string, unknown>) =>
    withValue(node, name, () => ({ ...params, text: node.text(value) }));
  if (action === 'generate') {
    const what = encodingType ?? generateType ?? 'uuid';
    if (what !== 'uuid') node.note('It is a random value in hex.');
    return withValue(node, name, () => ({ operation: what === 'uuid' ? 'uuid' : 'random' }));
  }
  const algorithm = String(type).toLowerCase().replace('-', '');
  if (!['md5', 'sha1', 'sha256', 'sha384', 'sha512'].includes(algorithm)) return null;
  const form = encoding === 'base64' ? 'base64' : 'hex';
  if (action === 'hash') return hashed({ operation: 'hash', algorithm, encoding: form });
  if (action !== 'hmac') return null;
  node.note('Add its key as the secret “hmac_key”.');
  return hashed({ operation: 'hmac', algorithm, encoding: form, key: '{{_secret.hmac_key}}' });
};

/** What `crypto` makes beside the other fields of each item, as n8n puts it there. */
function withValue(node: NodeMapping, name: string, makeParams: () => Record<string, unknown>): MappedOutputs {
  const { input } = node;
  const { outputs, isList } =
    input.type === 'list'
      ? node.addForEach('crypto', makeParams)
      : { outputs: `_output.${node.add('crypto', makeParams()).id}`, isList: false };
  if (isList) {
    const code = `return params.items.map((item, index) => ({ ...item, [${JSON.stringify(name)}]: items[index]?.value ?? null }));`;
    const { id } = node.add('code', { code, items: refTo(outputs), params: { items: listValue(input) } }, 'items');
    return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
  }
  const own = { [name]: refTo(`${outputs}.value`) };
  if (input.type === 'either') {
    node.note('The other fields of the item are not handed on beside it.');
    return { shapes: [{ type: 'single', item: own }] };
  }
  if (input.type === 'list') node.note('It runs once, for the first item; n8n runs it for each.');
  const item = input.type === 'single' ? input.item : refTo(`${input.ref}[0]`);
  if (isObject(item) && !('$ref' in item)) return { shapes: [{ type: 'single', item: { ...item, ...own } }] };
  const all = node.add('merge', { values: [item, own], mode: 'combine' }, 'item');
  return { shapes: [singleAt(`_output.${all.id}.value`)] };
}

const renameKeys: Mapper = (node) => {
  const list = record(node.parameters.keys).key;
  const names = (Array.isArray(list) ? list.filter(isObject) : []).map(({ currentKey, newKey }) => [
    String(currentKey),
    String(newKey),
  ]);
  if (names.length === 0 || !node.has('code')) return null;
  // A name with dots is the way to a field of a field.
  const code = `const rename = (item, from, to) => {
  const [ways, last] = [from.split('.').slice(0, -1), from.split('.').at(-1)];
  const holder = ways.reduce((value, key) => value?.[key], item);
  if (holder === null || typeof holder !== 'object' || !Object.hasOwn(holder, last) || from === to) return;
  const value = holder[last];
  delete holder[last];
  const keys = to.split('.');
  const end = keys.slice(0, -1).reduce((parent, key) => (parent[key] !== null && typeof parent[key] === 'object' ? parent[key] : (parent[key] = {})), item);
  end[keys.at(-1)] = value;
};
return items.map((item) => {
  const copy = JSON.parse(JSON.stringify(item));
  for (const [from, to] of params.names) rename(copy, from, to);
  return copy;
});`;
  const { id } = node.add('code', { code, items: listValue(node.input) ?? node.listInput(), params: { names } });
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
};

const compareDatasets: Mapper = (node) => {
  const values = record(node.parameters.mergeByFields).values;
  const keys = (Array.isArray(values) ? values.filter(isObject) : []).map(({ field1 }) => String(field1));
  const [before, after] = node.inputs.map((shape) => listValue(shape) ?? refTo((shape as { ref: string }).ref));
  if (!node.has('compare_lists') || keys.length === 0 || before === undefined || after === undefined) return null;
  node.note('Its outputs all lead on, each with its part of the comparison.');
  const { id } = node.add('compare_lists', { before, after, keys });
  return {
    shapes: ['removed', 'unchanged', 'changed', 'added'].map((field) => ({
      type: 'list',
      ref: `_output.${id}.${field}`,
    })),
  };
};

const executionData: Mapper = (node) => {
  node.note('The run keeps no marks; it only hands on what it gets.');
  return passOn(node);
};

export const people: Record<string, Mapper> = {
  form,
  executeWorkflow,
  crypto,
  renameKeys,
  compareDatasets,
  executionData,
  debugHelper: executionData,
};
