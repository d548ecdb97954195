import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { refTo } from '../shape.js';
import { askPerson, callApi, chosenIn, part, recipient, record } from './api-call.js';

const SECRET = 'google_token';
const REST = 'A token of Google lasts an hour: renew it, or use the OAuth sign-in of the node.';

function google(
  node: NodeMapping,
  service: string,
  make: () => Omit<Parameters<typeof callApi>[2] extends () => infer T ? T : never, 'secret'>,
): MappedOutputs | null {
  node.note(REST);
  return callApi(node, service, () => ({ ...make(), secret: SECRET }));
}

/** The id in `https://docs.google.com/…/d/<id>/edit`, or as it is. */
function fileId(node: NodeMapping, parameter: unknown, name: string): string {
  const text = part(node, parameter, name);
  return /\/(?:d|folders)\/([\w-]+)/.exec(text)?.[1] ?? text;
}

function sheetOf(node: NodeMapping, parameter: unknown): string {
  const cached = record(parameter).cachedResultName;
  const name = typeof cached === 'string' && cached !== '' ? cached : part(node, parameter, 'sheet name');
  return name.includes('{{') ? name : encodeURIComponent(name);
}

/** The cells to write by column; null where the fields of the item itself are written. */
function cellsOf(node: NodeMapping): Record<string, unknown> | null {
  const { columns, fieldsUi, dataMode } = node.parameters;
  const { mappingMode, value, schema } = record(columns);
  const old = record(fieldsUi).values ?? record(fieldsUi).fieldValues;
  if (Array.isArray(old))
    return Object.fromEntries(
      old.map((one) => [String(record(one).column ?? record(one).fieldId), record(one).fieldValue]),
    );
  if (mappingMode === 'autoMapInputData' || dataMode === 'autoMapInputData' || value === null || value === undefined)
    return null;
  const given = record(value);
  const order = Array.isArray(schema) ? schema.map((one) => String(record(one).id)).filter((id) => id in given) : [];
  const names = [...new Set([...order, ...Object.keys(given)])];
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

const googleSheets: Mapper = (node) => {
  const { resource = 'sheet', operation = 'read', documentId, sheetId, sheetName, title } = node.parameters;
  const root = 'https://sheets.googleapis.com/v4/spreadsheets';
  if (resource === 'spreadsheet')
    return operation === 'read' || operation === 'create'
      ? google(node, 'Google Sheets', () => ({
          method: 'POST',
          url: root,
          body: { properties: { title: node.text(title) } },
        }))
      : null;
  const base = () => `${root}/${fileId(node, documentId ?? sheetId, 'document id')}/values/${sheetOf(node, sheetName)}`;
  switch (operation) {
    case 'read':
    case 'lookup':
      return readSheet(node, base());
    case 'append':
      return google(node, 'Google Sheets', () => {
        const cells = cellsOf(node);
        node.note('Values are written in the order in which the export has the columns.');
        const row = cells
          ? Object.values(cells).map((cell) => node.value(cell))
          : node.value('={{ Object.values($json) }}');
        return {
          method: 'POST',
          url: `${base()}:append`,
          query: { valueInputOption: 'USER_ENTERED' },
          body: { values: [row] },
        };
      });
    case 'update':
    case 'appendOrUpdate':
      return writeRow(node, base(), operation === 'update');
    case 'clear':
      return google(node, 'Google Sheets', () => ({ method: 'POST', url: `${base()}:clear`, body: {} }));
    default:
      return null;
  }
};

const READ = { method: 'GET', auth: 'bearer', token: `{{_secret.${SECRET}}}` };

function readSheet(node: NodeMapping, url: string): MappedOutputs | null {
  if (!node.has('http_request') || !node.has('code')) return null;
  const filters = record(node.parameters.filtersUI).values;
  const wanted = (Array.isArray(filters) ? filters.map(record) : []).map(({ lookupColumn, lookupValue }) => {
    return { column: node.value(lookupColumn), value: node.value(lookupValue) };
  });
  node.note(`It calls the HTTP interface of Google Sheets. Add its access token as the secret “${SECRET}”. ${REST}`);
  const rows = node.add('http_request', { ...READ, url }, 'rows');
  const code = `const [head = [], ...rows] = params.rows ?? [];
const found = rows.map((row, index) => ({ row_number: index + 2, ...Object.fromEntries(head.map((name, column) => [name, row[column] ?? ''])) }));
return found.filter((row) => params.wanted.every(({ column, value }) => String(row[column] ?? '') === String(value ?? '')));`;
  const { id } = node.add('code', { code, params: { rows: refTo(`_output.${rows.id}.body.values`), wanted } });
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
}

/** Looks for the row with the same value in the matching column, and writes its cells. */
function writeRow(node: NodeMapping, url: string, isUpdate: boolean): MappedOutputs | null {
  if (!node.has('http_request') || !node.has('code')) return null;
  const { columns, columnToMatchOn, valueToMatchOn } = node.parameters;
  const matching = record(columns).matchingColumns;
  const column = Array.isArray(matching)
    ? String(matching[0] ?? '')
    : typeof columnToMatchOn === 'string'
      ? columnToMatchOn
      : '';
  const cells = cellsOf(node);
  const values = cells
    ? Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, node.value(cell)]))
    : node.value('={{ $json }}');
  const wanted = valueToMatchOn === undefined ? null : node.value(valueToMatchOn);
  if (node.input.type !== 'single') node.note('It writes one row, for the first item; n8n writes one for each.');
  node.note(`It calls the HTTP interface of Google Sheets. Add its access token as the secret “${SECRET}”. ${REST}`);
  const rows = node.add('http_request', { ...READ, url }, 'rows');
  const code = `const [head = [], ...rows] = params.rows ?? [];
const { cells, column, mustExist } = params;
const wanted = params.wanted ?? cells[column];
const place = head.indexOf(column);
const found = column === 'row_number' ? Number(wanted) - 2 : rows.findIndex((row) => String(row[place] ?? '') === String(wanted ?? ''));
if (found < 0 && mustExist) throw new Error('No row has ' + wanted + ' in ' + column + '.');
const row = found < 0 ? rows.length : found;
return { number: row + 2, values: [head.map((name, at) => (name in cells ? cells[name] : (rows[row]?.[at] ?? '')))] };`;
  const params = { rows: refTo(`_output.${rows.id}.body.values`), cells: values, column, wanted, mustExist: isUpdate };
  const row = node.add('code', { code, params }, 'row');
  const range = `!A{{_output.${row.id}.result.number}}`;
  const { id } = node.add('http_request', {
    method: 'PUT',
    url: `${url}${range}`,
    query: { valueInputOption: 'USER_ENTERED' },
    auth: 'bearer',
    token: `{{_secret.${SECRET}}}`,
    body_kind: 'json',
    body: { values: refTo(`_output.${row.id}.result.values`) },
  });
  return { shapes: [{ type: 'either', ref: `_output.${id}.body` }] };
}

const gmail: Mapper = (node) => {
  const {
    resource = 'message',
    operation = 'send',
    messageId,
    labelIds,
    filters,
    limit,
    sendTo,
    subject,
    message,
    emailType,
    options,
  } = node.parameters;
  if (operation === 'sendAndWait') return askPerson(node);
  const root = 'https://gmail.googleapis.com/gmail/v1/users/me';
  if (resource === 'label' && (operation === 'getAll' || operation === 'send'))
    return google(node, 'Gmail', () => ({ url: `${root}/labels`, items: 'labels' }));
  if (resource !== 'message' && resource !== 'thread') return null;
  if (resource === 'message' && (operation === 'send' || operation === 'sendEmail')) {
    if (!node.has('send_email')) return null;
    node.note('It is sent by the mail server of this deployment, in the name of the owner of the workflow.');
    const { ccList, bccList } = record(options);
    node.addForEach('send_email', () => ({
      to: recipient(node, sendTo ?? node.parameters.toList),
      subject: node.text(subject) || '(no subject)',
      ...(typeof ccList === 'string' && ccList !== '' && { cc: node.text(ccList) }),
      ...(typeof bccList === 'string' && bccList !== '' && { bcc: node.text(bccList) }),
      [emailType === 'text' ? 'text' : 'html']: node.text(message),
    }));
    return { shapes: [node.input] };
  }
  const at = (more = '') =>
    `${root}/${resource}s/${part(node, messageId ?? node.parameters.threadId, 'message id')}${more}`;
  const modify = (body: () => Record<string, unknown>) =>
    google(node, 'Gmail', () => ({ method: 'POST', url: at('/modify'), body: body() }));
  switch (operation) {
    case 'getAll':
      node.note('It tells the ids of the messages; fetch each for its text.');
      return google(node, 'Gmail', () => ({
        url: `${root}/${resource}s`,
        query: { q: node.text(record(filters).q), maxResults: node.value(limit ?? 50) },
        items: `${resource}s`,
      }));
    case 'get':
      return google(node, 'Gmail', () => ({ url: at() }));
    case 'delete':
      return google(node, 'Gmail', () => ({ method: 'DELETE', url: at() }));
    case 'addLabels':
      return modify(() => ({ addLabelIds: node.value(labelIds) }));
    case 'removeLabels':
      return modify(() => ({ removeLabelIds: node.value(labelIds) }));
    case 'markAsRead':
      return modify(() => ({ removeLabelIds: ['UNREAD'] }));
    case 'markAsUnread':
      return modify(() => ({ addLabelIds: ['UNREAD'] }));
    default:
      return null;
  }
};

const googleDrive: Mapper = (node) => {
  const {
    resource = 'file',
    operation = 'upload',
    fileId: file,
    folderId,
    name,
    queryString,
    searchMethod,
    newUpdatedFileName,
    folderNoRootId,
  } = node.parameters;
  const root = 'https://www.googleapis.com/drive/v3/files';
  const at = (more = '') => `${root}/${fileId(node, file ?? folderNoRootId, 'file id')}${more}`;
  const drive = (make: Parameters<typeof google>[2]) => google(node, 'Google Drive', make);
  switch (`${String(resource)}.${String(operation)}`) {
    case 'file.download': {
      if (!node.has('http_request')) return null;
      node.note(`It calls the HTTP interface of Google Drive. Add its access token as the secret “${SECRET}”. ${REST}`);
      const { outputs, isList } = node.addForEach('http_request', () => ({
        ...READ,
        url: at(),
        query: { alt: 'media' },
        response: 'file',
      }));
      if (!isList) return { shapes: [{ type: 'single', item: refTo(`${outputs}.file`) }] };
      const { id } = node.add(
        'code',
        { code: 'return items.map(({ file }) => file);', items: refTo(outputs) },
        'files',
      );
      return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
    }
    case 'file.upload':
      node.note('It sends the file whose path the node before hands on as media_path; set name and folder afterwards.');
      return upload(node);
    case 'file.copy':
      return drive(() => ({ method: 'POST', url: at('/copy'), body: { name: node.text(name) } }));
    case 'file.move':
      node.note('The folder that it is in stays one of its folders.');
      return drive(() => ({
        method: 'PATCH',
        url: at(),
        query: { addParents: fileId(node, folderId, 'folder id') },
        body: {},
      }));
    case 'file.update':
      return drive(() => ({ method: 'PATCH', url: at(), body: { name: node.text(newUpdatedFileName) } }));
    case 'file.share':
    case 'folder.share': {
      const permission = record(record(node.parameters.permissionsUi).permissionsValues);
      const { role = 'reader', type = 'anyone', emailAddress } = permission;
      const email =
        typeof emailAddress === 'string' && emailAddress !== '' ? { emailAddress: node.text(emailAddress) } : {};
      return drive(() => ({ method: 'POST', url: at('/permissions'), body: { role, type, ...email } }));
    }
    case 'file.deleteFile':
    case 'folder.deleteFolder':
      return drive(() => ({ method: 'DELETE', url: at() }));
    case 'folder.upload':
    case 'folder.create': {
      const parents = () => [fileId(node, folderId, 'folder id')];
      const mimeType = 'application/vnd.google-apps.folder';
      return drive(() => ({
        method: 'POST',
        url: root,
        body: { name: node.text(name), mimeType, parents: parents() },
      }));
    }
    case 'fileFolder.search':
    case 'fileFolder.upload': {
      const text = () => node.text(queryString);
      return drive(() => {
        const folder = record(node.parameters.filter).folderId;
        const within = folder === undefined ? '' : `'${fileId(node, folder, 'folder id')}' in parents`;
        const named =
          searchMethod === 'query'
            ? text()
            : queryString === undefined || queryString === ''
              ? ''
              : `name contains '${asText(text())}'`;
        return { url: root, query: { q: [asText(named), within].filter(Boolean).join(' and ') }, items: 'files' };
      });
    }
    default:
      return null;
  }
};

function upload(node: NodeMapping): MappedOutputs | null {
  if (!node.has('http_request')) return null;
  node.note(`It calls the HTTP interface of Google Drive. Add its access token as the secret “${SECRET}”. ${REST}`);
  if (node.input.type !== 'single') node.note('It runs once, for the first item; n8n runs it for each.');
  const { id } = node.add('http_request', {
    ...READ,
    method: 'POST',
    url: 'https://www.googleapis.com/upload/drive/v3/files',
    query: { uploadType: 'media' },
    body_kind: 'raw',
    file: node.value("={{ $json.media_path ?? $json.path ?? '' }}"),
  });
  return { shapes: [{ type: 'either', ref: `_output.${id}.body` }] };
}

function asText(value: unknown): string {
  return typeof value === 'object' && value !== null && '$ref' in value ? `{{${String(value.$ref)}}}` : String(value);
}

const googleCalendar: Mapper = (node) => {
  const {
    resource = 'event',
    operation = 'create',
    calendar,
    eventId,
    start,
    end,
    additionalFields,
    updateFields,
    timeMin,
    timeMax,
    limit,
  } = node.parameters;
  const root = 'https://www.googleapis.com/calendar/v3';
  const events = () => `${root}/calendars/${encodeURI(part(node, calendar, 'calendar id'))}/events`;
  const at = () => `${events()}/${part(node, eventId, 'event id')}`;
  const call = (make: Parameters<typeof google>[2]) => google(node, 'Google Calendar', make);
  if (resource === 'calendar')
    return call(() => ({
      method: 'POST',
      url: `${root}/freeBusy`,
      body: {
        timeMin: node.value(timeMin),
        timeMax: node.value(timeMax),
        items: [{ id: part(node, calendar, 'calendar id') }],
      },
    }));
  const about = (fields: Record<string, unknown>) =>
    Object.fromEntries(
      ['summary', 'description', 'location'].flatMap((key) =>
        fields[key] === undefined ? [] : [[key, node.text(fields[key])]],
      ),
    );
  const times = (from: unknown, to: unknown) => ({
    ...(from !== undefined && { start: { dateTime: node.value(from) } }),
    ...(to !== undefined && { end: { dateTime: node.value(to) } }),
  });
  switch (operation) {
    case 'create':
      return call(() => ({
        method: 'POST',
        url: events(),
        body: { ...times(start, end), ...about(record(additionalFields)) },
      }));
    case 'update':
      return call(() => ({
        method: 'PATCH',
        url: at(),
        body: { ...times(record(updateFields).start, record(updateFields).end), ...about(record(updateFields)) },
      }));
    case 'getAll': {
      const { query } = record(node.parameters.options);
      const given = (value: unknown) => (value === undefined ? undefined : node.value(value));
      return call(() => ({
        url: events(),
        query: {
          timeMin: given(timeMin),
          timeMax: given(timeMax),
          q: given(query),
          maxResults: node.value(limit ?? 50),
          singleEvents: true,
        },
        items: 'items',
      }));
    }
    case 'get':
      return call(() => ({ url: at() }));
    case 'delete':
      return call(() => ({ method: 'DELETE', url: at() }));
    default:
      return null;
  }
};

const googleDocs: Mapper = (node) => {
  const { operation = 'create', documentURL, title } = node.parameters;
  const root = 'https://docs.googleapis.com/v1/documents';
  if (operation === 'create')
    return google(node, 'Google Docs', () => ({ method: 'POST', url: root, body: { title: node.text(title) } }));
  if (operation === 'get')
    return google(node, 'Google Docs', () => ({
      url: `${root}/${fileId(node, chosenIn(documentURL), 'document id')}`,
    }));
  return null;
};

export const googleServices: Record<string, Mapper> = { googleSheets, gmail, googleDrive, googleCalendar, googleDocs };
