import { isObject } from '../json-object.js';
import type { Mapper, NodeMapping } from '../node-mapping.js';
import { type ApiCall, callApi, part, record } from './api-call.js';

const NOTION = { secret: 'notion_token', headers: { 'Notion-Version': '2022-06-28' } };

const blockText = (content: unknown) => [{ type: 'text', text: { content } }];

/** `Name|title` and its value, as Notion's interface takes it; null for a type that cannot be told. */
function notionProperty(node: NodeMapping, property: Record<string, unknown>): [string, unknown] | null {
  const [name = '', type = ''] = String(property.key ?? '').split('|');
  const text = (key: string) => node.text(property[key]);
  const value = (key: string) => node.value(property[key]);
  const values: Record<string, () => unknown> = {
    title: () => ({ title: blockText(text('title')) }),
    rich_text: () => ({ rich_text: blockText(text('textContent')) }),
    number: () => ({ number: value('numberValue') }),
    checkbox: () => ({ checkbox: value('checkboxValue') ?? false }),
    select: () => ({ select: { name: text('selectValue') } }),
    status: () => ({ status: { name: text('statusValue') } }),
    url: () => ({ url: text('urlValue') }),
    email: () => ({ email: text('emailValue') }),
    phone_number: () => ({ phone_number: text('phoneValue') }),
    date: () => ({ date: { start: value('date') } }),
    multi_select: () => ({
      multi_select: Array.isArray(property.multiSelectValue)
        ? property.multiSelectValue.map((one) => ({ name: node.text(one) }))
        : [],
    }),
  };
  return Object.hasOwn(values, type) ? [name, values[type]!()] : null;
}

function notionProperties(node: NodeMapping): Record<string, unknown> {
  const list = record(node.parameters.propertiesUi).propertyValues;
  const read = (Array.isArray(list) ? list.filter(isObject) : []).map(
    (one) => [one, notionProperty(node, one)] as const,
  );
  for (const [one, property] of read) if (!property) node.note(`The property “${String(one.key)}” is not written.`);
  return Object.fromEntries(read.flatMap(([, property]) => (property ? [property] : [])));
}

export const notion: Mapper = (node) => {
  const { resource = 'block', operation, databaseId, pageId, blockId, text, title, limit } = node.parameters;
  const call = (make: () => Omit<ApiCall, 'secret'>) => callApi(node, 'Notion', () => ({ ...NOTION, ...make() }));
  const root = 'https://api.notion.com/v1';
  const page = () => `${root}/pages/${part(node, pageId, 'page id')}`;
  const database = () => part(node, databaseId, 'database id');
  const what =
    operation ??
    (resource === 'block' ? 'append' : resource === 'databasePage' || resource === 'page' ? 'create' : 'get');
  switch (`${String(resource)}.${String(what)}`) {
    case 'databasePage.create':
      return call(() => ({
        method: 'POST',
        url: `${root}/pages`,
        body: {
          parent: { database_id: database() },
          properties: {
            ...(typeof title === 'string' && title !== '' && { title: { title: blockText(node.text(title)) } }),
            ...notionProperties(node),
          },
        },
      }));
    case 'databasePage.update':
      return call(() => ({ method: 'PATCH', url: page(), body: { properties: notionProperties(node) } }));
    case 'databasePage.getAll':
      if (node.parameters.filterType !== undefined && node.parameters.filterType !== 'none')
        node.note('The filter is not carried over: all pages are read.');
      return call(() => ({
        method: 'POST',
        url: `${root}/databases/${database()}/query`,
        body: { page_size: typeof limit === 'number' ? Math.min(limit, 100) : 100 },
        items: 'results',
      }));
    case 'databasePage.get':
    case 'page.get':
      return call(() => ({ url: page() }));
    case 'page.archive':
      return call(() => ({ method: 'PATCH', url: page(), body: { archived: true } }));
    case 'page.create':
      return call(() => ({
        method: 'POST',
        url: `${root}/pages`,
        body: {
          parent: { page_id: part(node, pageId, 'page id') },
          properties: { title: { title: blockText(node.text(title)) } },
        },
      }));
    case 'page.search':
      return call(() => ({
        method: 'POST',
        url: `${root}/search`,
        body: { query: node.text(text) },
        items: 'results',
      }));
    case 'database.get':
      return call(() => ({ url: `${root}/databases/${database()}` }));
    case 'database.getAll':
      return call(() => ({
        method: 'POST',
        url: `${root}/search`,
        body: { filter: { property: 'object', value: 'database' } },
        items: 'results',
      }));
    case 'block.getAll':
      return call(() => ({ url: `${root}/blocks/${part(node, blockId, 'block id')}/children`, items: 'results' }));
    case 'block.append': {
      const list = record(node.parameters.blockUi).blockValues;
      const blocks = () =>
        (Array.isArray(list) ? list.filter(isObject) : []).map(({ type = 'paragraph', textContent }) => ({
          object: 'block',
          type: String(type),
          [String(type)]: { rich_text: blockText(node.text(textContent)) },
        }));
      return call(() => ({
        method: 'PATCH',
        url: `${root}/blocks/${part(node, blockId, 'block id')}/children`,
        body: { children: blocks() },
      }));
    }
    default:
      return null;
  }
};
