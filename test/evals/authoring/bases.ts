import type { Json } from './authoring-task.js';
import { ids } from './world.js';

const at = (x: number, y: number) => ({ position: { x, y } });

/** A weekly report with a choice, as a canvas keeps it: places, handles and keys of its own. */
export const report: Json = {
  name: 'Weekly report',
  version: '1.0',
  entry: ['start'],
  nodes: [
    {
      kind: 'schedule_trigger',
      id: 'start',
      params: {},
      name: 'Monday morning',
      next: ['query'],
      ...at(0, 0),
      color: '#fff',
    },
    {
      id: 'query',
      name: 'Orders of the week',
      kind: 'database_query',
      next: ['check'],
      params: { sql: 'SELECT customer, total FROM orders  -- two blanks\nORDER BY total DESC', file_uids: [ids.sales] },
      ...at(300, 0),
    },
    {
      id: 'check',
      kind: 'condition',
      name: 'Any orders?',
      params: {
        left: { $ref: '_output.query.count' },
        operator: 'greater_than',
        right: '0',
        if_true: ['text'],
        if_false: ['nothing'],
      },
      next: ['text', 'nothing'],
      ...at(600, 0),
    },
    {
      id: 'text',
      kind: 'template',
      name: 'Write the text',
      params: { template: 'Orders: {{_output.query.items}}' },
      next: ['mail'],
      ...at(900, 0),
      retry: { max_attempts: 2 },
    },
    { id: 'nothing', kind: 'no_op', name: 'Nothing to do', params: {}, next: [], ...at(900, 150) },
    {
      id: 'mail',
      kind: 'send_email',
      name: 'Mail the boss',
      params: { to: 'boss@example.com', subject: 'Report', text: '{{_output.text.text}}' },
      next: [],
      ...at(1200, 0),
      save_output: true,
    },
  ],
  edges: [
    { id: 'e1', source: 'start', target: 'query', animated: true },
    { id: 'e2', source: 'query', target: 'check' },
    { id: 'e3', source: 'check', target: 'text', sourceHandle: 'if_true' },
    { id: 'e4', source: 'check', target: 'nothing', sourceHandle: 'if_false' },
    { id: 'e5', source: 'text', target: 'mail' },
  ],
};

/** Calls are put into classes; a definition without edges. */
export const intake: Json = {
  name: 'Intake',
  entry: ['hook'],
  nodes: [
    { id: 'hook', kind: 'webhook_trigger', name: 'Call', params: { required_fields: ['text'] }, next: ['route'] },
    {
      id: 'route',
      kind: 'switch',
      name: 'By topic',
      params: {
        value: '{{_output.hook.payload.topic}}',
        cases: [
          { operator: 'equals', value: 'invoice', next: ['pay'] },
          { operator: 'equals', value: 'question', next: ['answer'] },
        ],
        default: ['other'],
      },
      next: ['pay', 'answer', 'other'],
    },
    {
      id: 'pay',
      kind: 'http_request',
      name: 'Tell the bank',
      params: {
        url: 'https://bank.example.com/pay',
        method: 'POST',
        auth: 'bearer',
        token: '{{_secret.bank_key}}',
        body_kind: 'json',
        body: { text: '{{_output.hook.payload.text}}' },
      },
      next: ['done'],
      on_error: 'branch',
      error_next: ['other'],
    },
    {
      id: 'answer',
      kind: 'ask_documents',
      name: 'Ask the documents',
      params: { question: '{{_output.hook.payload.text}}', document_uids: [ids.leave] },
      next: ['done'],
    },
    {
      id: 'other',
      kind: 'send_email',
      name: 'Forward',
      params: { to: 'desk@example.com', subject: 'A call', text: '{{_output.hook.payload.text}}' },
      next: ['done'],
    },
    { id: 'done', kind: 'respond', name: 'Answer the call', params: { body: 'Thank you.' }, next: [] },
  ],
};

/** Connected by lines of the canvas alone. */
export const drawn: Json = {
  name: 'Drawn',
  nodes: [
    { id: 'n1', kind: 'manual_trigger', name: 'Start', params: {}, ...at(0, 0) },
    { id: 'n2', kind: 'semantic_search', name: 'Search', params: { query: 'holidays' }, ...at(300, 0) },
    {
      id: 'n3',
      kind: 'condition',
      name: 'Found?',
      params: { left: { $ref: '_output.n2.count' }, operator: 'greater_than', right: 0 },
      ...at(600, 0),
    },
    { id: 'n4', kind: 'summarise_text', name: 'Summarise', params: { text: '{{_output.n2.items}}' }, ...at(900, 0) },
  ],
  edges: [
    { id: 'a', source: 'n1', target: 'n2' },
    { id: 'b', source: 'n2', target: 'n3' },
    { id: 'c', source: 'n3', target: 'n4', sourceHandle: 'if_true' },
  ],
};

/** So large that its params do not all fit a prompt. */
export const large: Json = {
  name: 'Large',
  entry: ['s0'],
  nodes: Array.from({ length: 60 }, (_, index) => ({
    id: `s${index}`,
    kind: index === 0 ? 'manual_trigger' : 'template',
    name: index === 41 ? 'Farewell' : `Step ${index}`,
    params: index === 0 ? {} : { template: `Step ${index}: ${'lorem ipsum '.repeat(120)}` },
    next: index === 59 ? [] : [`s${index + 1}`],
  })),
};
