import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { toJs } from '../script.js';
import { refTo, singleAt } from '../shape.js';
import { record } from './api-call.js';

/** Elements as n8n names what is in them: attributes among the fields, or below one of their own. */
const TO_N8N = `const walk = (value) => {
  if (Array.isArray(value)) return value.map(walk);
  if (value === null || typeof value !== 'object') return value;
  const fields = {};
  const attributes = {};
  for (const [key, field] of Object.entries(value)) {
    if (key[0] === '@') {
      if (!ignored) (merged ? fields : attributes)[key.slice(1)] = field;
    } else fields[key === '#text' ? text : key] = walk(field);
  }
  const names = Object.keys(fields);
  if (names.length === 1 && names[0] === text && Object.keys(attributes).length === 0) return fields[text];
  return Object.keys(attributes).length > 0 ? { [attribute]: attributes, ...fields } : fields;
};
return items.map((item) => { const { value } = item; const read = walk(value); return withRoot || read === null || typeof read !== 'object' ? read : Object.values(read)[0]; });`;

export const xml: Mapper = (node) => {
  const { mode = 'xmlToJson' } = node.parameters;
  if (!node.has('code')) return null;
  if (mode === 'jsonToxml') return write(node);
  return mode === 'xmlToJson' && node.has('parse_xml') ? read(node) : null;
};

function read(node: NodeMapping): MappedOutputs {
  const { dataPropertyName = 'data', options } = node.parameters;
  const { attrkey = '$', charkey = '_', mergeAttrs = true, ignoreAttrs = false, explicitRoot = true } = record(options);
  const { outputs, isList } = node.addForEach('parse_xml', () => ({
    text: node.text(`={{ $json[${JSON.stringify(dataPropertyName)}] }}`),
  }));
  const given = { attribute: attrkey, text: charkey, merged: mergeAttrs, ignored: ignoreAttrs, withRoot: explicitRoot };
  const names = Object.entries(given).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  const items = isList ? refTo(outputs) : [refTo(outputs)];
  const { id } = node.add('code', { code: names.join('') + TO_N8N, items }, 'fields');
  const result = `_output.${id}.result`;
  return { shapes: [isList ? { type: 'list', ref: result } : singleAt(`${result}[0]`)] };
}

/** The other way: attributes below `$`, and one field alone is the outermost element. */
function write(node: NodeMapping): MappedOutputs | null {
  if (!node.has('write_xml')) return null;
  const { dataPropertyName = 'data', options } = node.parameters;
  const { attrkey = '$', charkey = '_', rootName = 'root', headless = false, renderOpts } = record(options);
  if (headless === true) node.note('Its text begins with the line that says it is XML.');
  const own = `(${String(rootName === 'root')} && Object.keys(json).length === 1 && !Array.isArray(Object.values(json)[0]) ? Object.keys(json)[0] : null)`;
  const root = (js: string): string => `((json) => ${own} ?? ${toJs(rootName)})(${js})`;
  const walk = `(walk, value) => Array.isArray(value) ? value.map((one) => walk(walk, one)) : value === null || typeof value !== 'object' ? value : Object.fromEntries(Object.entries(value).flatMap(([key, field]) => key === ${JSON.stringify(attrkey)} && field !== null && typeof field === 'object' ? Object.entries(field).map(([name, text]) => ['@' + name, text]) : [[key === ${JSON.stringify(charkey)} ? '#text' : key, walk(walk, field)]]))`;
  const value = (js: string): string =>
    `((json) => { const walk = ${walk}; const name = ${own}; const body = walk(walk, name === null ? json : json[name]); return body !== null && typeof body === 'object' ? body : body === null ? {} : { '#text': body }; })(${js})`;
  const { outputs, isList } = node.addForEach('write_xml', () => ({
    // In brackets it is an expression, and no path that a reference could say.
    value: node.converted('={{ ($json) }}', value),
    root: node.converted('={{ ($json) }}', root),
    ...(record(renderOpts).pretty === false && { pretty: false }),
  }));
  const name = String(dataPropertyName);
  if (!isList) return { shapes: [{ type: 'single', item: { [name]: refTo(`${outputs}.text`) } }] };
  const code = `return items.map(({ text }) => ({ [${JSON.stringify(name)}]: text }));`;
  const { id } = node.add('code', { code, items: refTo(outputs) }, 'fields');
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
}
