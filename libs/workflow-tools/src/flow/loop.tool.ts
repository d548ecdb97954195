import {
  type ChildEnd,
  defineKind,
  type ItemState,
  jsonList,
  type NestedWork,
  param,
  ToolError,
} from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { MAX_ITEMS } from '../params.js';
import { bodyParams, checkBody, childKey } from './body.js';
import { requireNested } from './nested.js';

const MAX_LOOP_ITEMS = Math.min(10_000, MAX_ITEMS);
/** Items that an earlier try has written are looked up so many at a time. */
const WINDOW = 200;

const params = z.object({
  items: param(z.array(z.unknown()).max(MAX_LOOP_ITEMS), {
    label: 'Items',
    description: 'The list to go through, usually a reference to an earlier output.',
  }),
  ...bodyParams,
  concurrency: param(z.coerce.number().int().min(1).max(20).default(1), {
    label: 'At the same time',
    type: 'integer',
    description: 'One: strictly one after the other.',
  }),
  item_failures: param(z.enum(['fail', 'collect']).default('fail'), {
    label: 'When an item fails',
    description: 'Whether one failed item fails the node, or the others go on.',
    options: [
      { value: 'fail', label: 'The node fails' },
      { value: 'collect', label: 'The others go on, and the output says which failed' },
    ],
  }),
});

/** Where the loop is, kept in its wait; results stand in the items. */
interface Cursor {
  next: number;
  active: number[];
  done: number;
  failed: number;
}

export const loopTool = defineKind({
  kind: 'loop',
  version: '1.0.0',
  title: 'Loop over items',
  description:
    'Runs a small workflow of its own for every item of a list, one after the other or several at once, and collects the results in order. The body may wait, ask people and have effects.',
  category: categories.flow,
  icon: 'repeat',
  isBatchProcessor: true,
  opaqueParams: ['body'],
  keepsParams: true,
  sideEffects: 'idempotent',
  timeoutSeconds: 10 * 60,
  params,
  output: z.object({
    results: z.array(z.unknown()),
    count: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ index: z.int(), code: z.string(), message: z.string() })),
  }),
  examples: [
    {
      items: ['a', 'b'],
      body: { nodes: [{ id: 'say', kind: 'template', params: { template: '{{_index}}: {{_item}}' } }] },
    },
  ],
  checkNode: (given, _next, catalogue) => checkBody(given, catalogue),
  run: async (given, context) => {
    const loop = new Loop(given, requireNested(context), (context.resume?.data as Cursor | undefined) ?? null);
    const active = await loop.advance();
    if (active) return { wait: { reason: 'child', children: active.keys, data: { ...active.cursor } } };
    return { output: await loop.collect() };
  },
});

class Loop {
  private readonly cursor: Cursor;

  constructor(
    private readonly given: z.output<typeof params>,
    private readonly nested: NestedWork,
    cursor: Cursor | null,
  ) {
    this.cursor = cursor ? { ...cursor } : { next: 0, active: [], done: 0, failed: 0 };
  }

  /** Takes in what has ended and starts what may begin. Null: there is nothing left to wait for. */
  async advance(): Promise<{ keys: string[]; cursor: Cursor } | null> {
    const { items, concurrency, item_failures: itemFailures } = this.given;
    const { cursor } = this;
    await this.takeIn();
    if (cursor.failed > 0 && itemFailures === 'fail') await this.giveUp();
    while (cursor.active.length < concurrency && cursor.next < items.length) {
      if (await this.wasDoneBefore(cursor.next)) cursor.done += 1;
      else await this.start(cursor.next);
      cursor.next += 1;
    }
    this.nested.items.report(items.length, cursor.done);
    return cursor.active.length > 0 ? { keys: cursor.active.map((index) => this.keyOf(index)), cursor } : null;
  }

  async collect() {
    const items = await this.nested.items.load({ withOutputs: true });
    const errors = items.flatMap(({ index, error }) => (error ? [{ index, ...error }] : []));
    return {
      results: jsonList(items.map(({ output }) => output)),
      count: items.length,
      failed: errors.length,
      errors: errors.slice(0, 1_000),
    };
  }

  private async takeIn(): Promise<void> {
    const { cursor } = this;
    if (cursor.active.length === 0) return;
    const ends = await this.nested.children.ends(cursor.active.map((index) => this.keyOf(index)));
    const byKey = new Map(ends.map((end) => [end.key, end]));
    const ended = cursor.active.flatMap((index) => {
      const end = byKey.get(this.keyOf(index));
      return end ? [this.toItem(index, end)] : [];
    });
    if (ended.length === 0) return;
    await this.nested.items.save(ended);
    const gone = new Set(ended.map(({ index }) => index));
    cursor.active = cursor.active.filter((index) => !gone.has(index));
    cursor.done += ended.length;
    cursor.failed += ended.filter(({ status }) => status === 'FAILED').length;
  }

  private toItem(index: number, { status, result, error }: ChildEnd): ItemState {
    const round = this.nested.failures;
    if (status === 'COMPLETED') return { index, status, round, output: result, error: null };
    const { code, message } = error ?? { code: 'stopped', message: 'The run was stopped.' };
    return { index, status: 'FAILED', round, output: null, error: { code, message } };
  }

  private start(index: number): Promise<void> {
    const { workflow_id: workflowId, inputs, items } = this.given;
    this.cursor.active.push(index);
    return this.nested.children.start(this.keyOf(index), {
      workflowId: workflowId ?? null,
      payload: { ...inputs, _item: items[index], _index: index },
    });
  }

  private earlier: { from: number; completed: Set<number> } | null = null;

  /** After a failed try: what it had done stays done. */
  private async wasDoneBefore(index: number): Promise<boolean> {
    if (this.nested.failures === 0) return false;
    if (!this.earlier || index >= this.earlier.from + WINDOW) {
      const items = await this.nested.items.load({ from: index, to: index + WINDOW });
      const completed = items.filter(({ status }) => status === 'COMPLETED').map((item) => item.index);
      this.earlier = { from: index, completed: new Set(completed) };
    }
    return this.earlier.completed.has(index);
  }

  private async giveUp(): Promise<never> {
    const { active } = this.cursor;
    if (active.length > 0)
      await this.nested.children.stop(
        active.map((index) => this.keyOf(index)),
        'Another item failed.',
      );
    const items = await this.nested.items.load();
    const first = items.find(({ status, round }) => status === 'FAILED' && round === this.nested.failures);
    const { code, message } = first?.error ?? { code: 'failed', message: 'It failed.' };
    throw new ToolError('item_failed', `Item ${(first?.index ?? 0) + 1} failed (${code}): ${message}`);
  }

  private keyOf(index: number): string {
    return childKey(this.given.workflow_id, `${this.nested.failures}.${index}`);
  }
}
