import { cutText } from '@app/common';
import type { Mapper } from '../node-mapping.js';
import { refTo, singleAt } from '../shape.js';

const firstPinned = (items: readonly unknown[]): Record<string, unknown> => {
  const [first] = items;
  return typeof first === 'object' && first !== null && !Array.isArray(first) ? (first as Record<string, unknown>) : {};
};

const manual: Mapper = (node) => {
  const { id } = node.add('manual_trigger', { inputs: firstPinned(node.pinned) });
  return { shapes: [singleAt(`_output.${id}`)] };
};

/** Starts with what somebody hands in: a form, a chat message, another workflow. */
const withPayload =
  (note: string): Mapper =>
  (node) => {
    const { id } = node.add('webhook_trigger', { sample: firstPinned(node.pinned) });
    node.note(note);
    return { shapes: [singleAt(`_output.${id}.payload`)] };
  };

const webhook: Mapper = (node) => {
  const { body } = firstPinned(node.pinned);
  const { id } = node.add('webhook_trigger', { sample: firstPinned([body]) });
  if (node.parameters.httpMethod === 'GET') node.note('It is called with POST and a JSON payload, not with GET.');
  node.note('It has an address and a secret of its own: see the credential of the node or the workflow.');
  const item = { body: refTo(`_output.${id}.payload`) };
  return { shapes: [{ type: 'single', item }] };
};

const schedule: Mapper = (node) => {
  const kind = node.has('schedule_trigger') ? 'schedule_trigger' : 'manual_trigger';
  const { id } = node.add(kind, {});
  const { times, unread } = timesOf(node.parameters);
  if (times.length > 0)
    node.note(`Create a schedule of the workflow: ${times.map((cron) => `cron ${cron}`).join(', ')}.`);
  for (const rule of unread)
    node.note(`No cron expression says ${rule}: create a schedule that does, if there is one.`);
  if (times.length === 0 && unread.length === 0)
    node.note('Create a schedule of the workflow; its times could not be read.');
  const item = kind === 'schedule_trigger' ? { timestamp: refTo(`_output.${id}.slot_time`) } : refTo(`_output.${id}`);
  return { shapes: [{ type: 'single', item }] };
};

/** Cron expressions of a Schedule or Cron trigger, as far as they can be told. */
export function readTimes(parameters: Record<string, unknown>): string[] {
  return timesOf(parameters).times;
}

/** @returns with what no cron expression says, such as every 45 minutes, as the trigger has it. */
function timesOf({ rule, triggerTimes, cronExpression }: Record<string, unknown>): {
  times: string[];
  unread: string[];
} {
  const rules = [...itemsOf(rule, 'interval'), ...itemsOf(triggerTimes, 'item')].map((item) => ({
    cron: toCron(item),
    shown: cutText(JSON.stringify(item), 200),
  }));
  const found = rules.flatMap(({ cron }) => cron ?? []);
  const unread = rules.flatMap(({ cron, shown }) => (cron === null ? shown : []));
  return { times: typeof cronExpression === 'string' ? [...found, cronExpression] : found, unread };
}

function itemsOf(value: unknown, key: string): Record<string, unknown>[] {
  const items = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : null;
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : [];
}

function toCron(item: Record<string, unknown>): string | null {
  const number = (...keys: string[]): number =>
    Number(keys.map((key) => item[key]).find((value) => value !== undefined) ?? 0);
  const minute = number('triggerAtMinute', 'minute');
  const hour = number('triggerAtHour', 'hour');
  // What nobody has changed is not in an export.
  const every = (key: string, most: number, unchanged = 1) => {
    const count = Number(item[key] ?? unchanged);
    return count >= 1 && count <= most && most % count === 0 ? (count === 1 ? '*' : `*/${count}`) : null;
  };
  const field = String(item.field ?? item.mode ?? 'days');
  switch (field) {
    case 'cronExpression':
    case 'custom': {
      const expression = item.expression ?? item.cronExpression;
      const parts = typeof expression === 'string' ? expression.replace(/^=/, '').trim().split(/\s+/) : [];
      // n8n may begin with seconds; several of them in a minute are more than there is here.
      if (parts.length === 6 && /^\d+$/.test(parts[0]!)) parts.shift();
      return parts.length === 5 ? parts.join(' ') : null;
    }
    case 'everyMinute':
      return '* * * * *';
    case 'minutes': {
      const minutes = every('minutesInterval', 60, 5);
      return minutes && `${minutes} * * * *`;
    }
    case 'hours':
    case 'everyHour': {
      const hours = every('hoursInterval', 24);
      return hours && `${minute} ${hours} * * *`;
    }
    case 'days':
    case 'everyDay':
      return Number(item.daysInterval ?? 1) === 1 ? `${minute} ${hour} * * *` : null;
    case 'weeks':
    case 'everyWeek': {
      const days = Array.isArray(item.triggerAtDay) ? item.triggerAtDay : [item.weekday ?? 0];
      return Number(item.weeksInterval ?? 1) === 1 ? `${minute} ${hour} * * ${days.join(',')}` : null;
    }
    case 'months':
    case 'everyMonth':
      return Number(item.monthsInterval ?? 1) === 1
        ? `${minute} ${hour} ${number('triggerAtDayOfMonth', 'dayOfMonth') || 1} * *`
        : null;
    default:
      return null;
  }
}

const HANDED_IN =
  'n8n is told of new events, or looks for them, by itself: here whoever calls the webhook hands them in.';

/** Triggers of outside services: an event is a payload. */
export function triggerOf(type: string): Mapper | undefined {
  return type.endsWith('Trigger') && !UNLIKE_EVENTS.has(type) ? withPayload(HANDED_IN) : undefined;
}

/** Whether n8n would start it when the workflow is run: it does not where a run failed, or where a test asks for it. */
export function startsRuns(type: string): boolean {
  return !UNLIKE_EVENTS.has(type.split('.').at(-1)!);
}

/** Neither events nor payloads: tools for others, failures of other runs, tests. */
const UNLIKE_EVENTS = new Set(['mcpTrigger', 'errorTrigger', 'evaluationTrigger', 'n8nTrigger', 'workflowTrigger']);

export const triggers: Record<string, Mapper> = {
  manualTrigger: manual,
  start: manual,
  webhook,
  scheduleTrigger: schedule,
  cron: schedule,
  interval: schedule,
  executeWorkflowTrigger: withPayload('It gets what the calling workflow hands over as the payload.'),
  formTrigger: withPayload('The form is not shown; its fields are expected in the payload.'),
  chatTrigger: withPayload('The chat window is not shown; the message is expected in the payload as chatInput.'),
};
