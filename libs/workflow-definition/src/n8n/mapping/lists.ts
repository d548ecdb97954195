import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { nodesReadBy } from '../expression.js';
import { listScript, objectOf, sortScript, splitOutScript } from '../script.js';
import { refTo, singleAt } from '../shape.js';
import { isObject } from '../json-object.js';

/** The entries of a form list of n8n, such as `{ sortField: [{ fieldName }] }`. */
function entriesOf(value: unknown): Record<string, unknown>[] {
  if (!isObject(value)) return [];
  return Object.values(value).flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
}

function names(value: unknown): string[] {
  const text = typeof value === 'string' ? value.replace(/^=/, '') : '';
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.includes('{{'));
}

const listOf = (id: string, field = 'items'): MappedOutputs => ({
  shapes: [{ type: 'list', ref: `_output.${id}.${field}` }],
});

const sort: Mapper = (node) => {
  const { type = 'simple', sortFieldsUi, code } = node.parameters;
  const fields = entriesOf(sortFieldsUi);
  if (type === 'code' && typeof code === 'string' && node.has('code')) {
    node.addScript(sortScript(code), nodesReadBy(code));
    return listOf(node.id, 'result');
  }
  if (type === 'random' && node.has('code')) {
    const shuffled = 'list.map((item) => [Math.random(), item]).sort(([a], [b]) => a - b).map(([, item]) => item)';
    node.addScript(listScript(shuffled), []);
    return listOf(node.id, 'result');
  }
  if (type !== 'simple' || fields.length === 0) return null;
  let items = node.listInput();
  // The order of equal items is kept: sorted by the last field first, the first one decides in the end.
  for (const [index, { fieldName, order }] of fields.toReversed().entries()) {
    const suffix = index === fields.length - 1 ? '' : `by_${fields.length - index}`;
    const direction = order === 'descending' ? 'descending' : 'ascending';
    const { id } = node.add('sort', { items, field: String(fieldName), direction, ignore_case: true }, suffix);
    items = refTo(`_output.${id}.items`);
  }
  return listOf(node.id);
};

const limit: Mapper = (node) => {
  const { maxItems = 1, keep } = node.parameters;
  const count = node.value(maxItems);
  const from = keep === 'lastItems' ? 'end' : 'start';
  if (node.has('limit')) {
    node.add('limit', { items: node.listInput(), count, from });
    return listOf(node.id);
  }
  if (typeof count !== 'number') return null;
  const expression = from === 'start' ? `[items[[0..${count - 1}]]]` : `[items[[-${count}..-1]]]`;
  node.add('expression', { expression, input: { items: node.listInput() } });
  return listOf(node.id, 'result');
};

const splitOut: Mapper = (node) => {
  const fields = names(node.parameters.fieldToSplitOut);
  const [field] = fields;
  if (field === undefined) {
    node.note('The field to split is not in the export: choose it.');
    node.add('split', { value: node.listInput(), mode: 'field' });
    return listOf(node.id);
  }
  if (!node.has('code')) {
    const list = node.value(`={{ $json.${field} }}`);
    node.note(`Only the entries of ${field} are handed on, as they are.`);
    node.add('merge', { values: [list], mode: 'append' });
    return listOf(node.id, 'value');
  }
  const { include = 'noOtherFields', fieldsToInclude, options } = node.parameters;
  const { destinationFieldName, disableDotNotation } = isObject(options) ? options : {};
  const listed = entriesOf(fieldsToInclude).map(({ fieldName }) => String(fieldName));
  const keep =
    include === 'allOtherFields'
      ? 'others'
      : include === 'noOtherFields'
        ? 'none'
        : [...names(fieldsToInclude), ...listed];
  const script = splitOutScript({
    fields,
    names: names(destinationFieldName),
    keep,
    isDotted: disableDotNotation !== true,
  });
  node.addScript(script, []);
  return listOf(node.id, 'result');
};

const aggregate: Mapper = (node) => {
  const { aggregate: mode = 'aggregateIndividualFields', fieldsToAggregate, destinationFieldName } = node.parameters;
  const scripted = node.has('code') ? aggregateJs(node.parameters) : null;
  if (scripted !== null) {
    const { id } = node.addScript(listScript(scripted), []);
    return { shapes: [singleAt(`_output.${id}.result`)] };
  }
  const items = node.listInput();
  if (mode === 'aggregateAllItemData') {
    const { include = 'allFields' } = node.parameters;
    if (include !== 'allFields') node.note('Each item keeps all of its fields, not only the chosen ones.');
    const name =
      typeof destinationFieldName === 'string' && destinationFieldName !== '' ? destinationFieldName : 'data';
    node.add('set', { fields: { [name]: items } });
    return { shapes: [singleAt(`_output.${node.id}`)] };
  }
  const operations = entriesOf(fieldsToAggregate).map(({ fieldToAggregate, renameField, outputFieldName }) => {
    const field = String(fieldToAggregate);
    const as = renameField === true && typeof outputFieldName === 'string' ? outputFieldName : field.split('.').at(-1);
    return { operation: 'list', field, as };
  });
  if (operations.length === 0) {
    node.note('The fields to put together are not in the export: whole items are.');
    node.add('set', { fields: { data: items } });
    return { shapes: [singleAt(`_output.${node.id}`)] };
  }
  node.add('aggregate', { items, operations });
  return { shapes: [singleAt(`_output.${node.id}.result`)] };
};

/** What only a script puts together as n8n does: chosen fields of items, lists in one list, and what is missing. */
function aggregateJs(parameters: Record<string, unknown>): string | null {
  const { aggregate: mode = 'aggregateIndividualFields', include = 'allFields', options } = parameters;
  const { fieldsToAggregate, destinationFieldName, fieldsToInclude, fieldsToExclude } = parameters;
  if (mode === 'aggregateAllItemData') {
    const isExcept = include === 'allFieldsExcept';
    const chosen = names(isExcept ? fieldsToExclude : fieldsToInclude);
    if ((!isExcept && include !== 'specifiedFields') || chosen.length === 0) return null;
    const name =
      typeof destinationFieldName === 'string' && destinationFieldName !== '' ? destinationFieldName : 'data';
    const test = `${isExcept ? '!' : ''}${JSON.stringify(chosen)}.includes(key)`;
    const some = `list.map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => ${test})))`;
    return `({ [${JSON.stringify(name)}]: ${some}.filter((item) => Object.keys(item).length > 0) })`;
  }
  const chosen = isObject(options) ? options : {};
  const { keepMissing, mergeLists } = chosen;
  const fields = entriesOf(fieldsToAggregate);
  if ((keepMissing !== true && mergeLists !== true) || fields.length === 0) return null;
  const { disableDotNotation } = chosen;
  const entries = fields.map(({ fieldToAggregate, renameField, outputFieldName }): [string, string] => {
    const field = String(fieldToAggregate);
    const isPath = disableDotNotation !== true;
    const own = isPath ? field.split('.').at(-1)! : field;
    const as = renameField === true && typeof outputFieldName === 'string' ? outputFieldName : own;
    const path = JSON.stringify(isPath ? field.split('.') : [field]);
    const values = `list.map((item) => ${path}.reduce((one, key) => one?.[key], item) ?? null)`;
    const kept =
      keepMissing === true
        ? values
        : `${values}.filter((value) => value !== null).map((value) => (Array.isArray(value) ? value.filter((entry) => entry !== null) : value))`;
    return [as, mergeLists === true ? `${kept}.flat()` : kept];
  });
  return objectOf(Object.fromEntries(entries));
}

const OPERATIONS = new Map(
  Object.entries({
    append: 'list',
    average: 'average',
    concatenate: 'join',
    count: 'count',
    countUnique: 'count_unique',
    max: 'max',
    min: 'min',
    sum: 'sum',
  }),
);

const summarize: Mapper = (node) => {
  const groups = names(node.parameters.fieldsToSplitBy);
  const { options } = node.parameters;
  if (isObject(options) && options.outputFormat === 'singleItem')
    node.note('Each group is an item of its own, not a field of one.');
  const operations = entriesOf(node.parameters.fieldsToSummarize).map(({ aggregation = 'count', field, ...more }) => {
    const { separateBy = ',', customSeparator = '' } = more;
    const operation = OPERATIONS.get(String(aggregation)) ?? 'count';
    const past = new Map(
      Object.entries({
        append: 'appended',
        average: 'average',
        concatenate: 'concatenated',
        countUnique: 'unique_count',
        sum: 'sum',
      }),
    );
    return {
      operation,
      field: String(field),
      as: `${past.get(String(aggregation)) ?? String(aggregation)}_${String(field)}`,
      ...(operation === 'join' && { separator: String(separateBy === 'other' ? customSeparator : separateBy) }),
    };
  });
  if (operations.length === 0) return null;
  const items = node.listInput();
  if (groups.length === 0) {
    node.add('aggregate', { items, operations });
    return { shapes: [singleAt(`_output.${node.id}.result`)] };
  }
  if (node.has('summarise')) {
    node.add('summarise', { items, group_by: groups, operations });
    return listOf(node.id);
  }
  if (groups.length > 1) return null;
  node.note(`The value of ${groups[0]} is called key in each row.`);
  node.add('aggregate', { items, group_by: groups[0], operations });
  return listOf(node.id, 'groups');
};

const removeDuplicates: Mapper = (node) => {
  const { compare = 'allFields', fieldsToCompare, operation = 'removeDuplicateInputItems' } = node.parameters;
  if (operation !== 'removeDuplicateInputItems' && operation !== 'removeDuplicates') return null;
  const listed = isObject(fieldsToCompare)
    ? entriesOf(fieldsToCompare).map(({ fieldName }) => String(fieldName))
    : names(fieldsToCompare);
  if (compare === 'allFieldsExcept') node.note('All fields are compared.');
  node.add('deduplicate', { items: node.listInput(), fields: compare === 'selectedFields' ? listed : [] });
  return listOf(node.id);
};

/** The one node that did all of this before it was taken apart. */
const itemLists: Mapper = (node: NodeMapping) => {
  const { operation = 'splitOutItems', resource } = node.parameters;
  if (resource !== undefined && resource !== 'itemList') return null;
  const mapper: Record<string, Mapper> = {
    splitOutItems: splitOut,
    aggregateItems: aggregate,
    concatenateItems: aggregate,
    sort,
    limit,
    removeDuplicates,
    summarize,
  };
  return Object.hasOwn(mapper, String(operation)) ? mapper[String(operation)]!(node) : null;
};

export const lists: Record<string, Mapper> = {
  sort,
  limit,
  splitOut,
  aggregate,
  summarize,
  removeDuplicates,
  itemLists,
};
