import type { Mapper } from '../node-mapping.js';
import { askPerson, chosenIn, part, recipient, record } from './api-call.js';
import { fileId, google } from './google-call.js';
import { googleDrive } from './google-drive.js';
import { googleSheets } from './google-sheets.js';

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
