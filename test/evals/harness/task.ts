import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const call = z.tuple([z.string(), z.record(z.string(), z.unknown())]);

/** What a scripted model does in one step. `{{uid:<file>}}`, `{{cite:<file>}}` and `{{handle}}` are what the platform calls them. */
const step = z.strictObject({
  /** What it has to have been shown for this; otherwise it says that it does not know. */
  needs: z.array(z.string()).default([]),
  calls: z.array(call).default([]),
  text: z.string().default(''),
});

const memory = z.strictObject({
  text: z.string(),
  kind: z.string().default('fact'),
  replaces: z.number().int().nullable().default(null),
});

const turn = z.strictObject({
  /** What the user says: by this the script is found, so it is said once in all tasks. */
  say: z.string().min(1),
  language: z.enum(['en', 'de', 'ar']).optional(),
  newConversation: z.boolean().default(false),
  attach: z.array(z.string()).default([]),
  /** To what the platform asks: a choice of an approval, or words. The last one again where it asks more often. */
  reply: z.array(z.string()).default([]),
  script: z.array(step).min(1),
  /** What the scripted judge of memories keeps of it. */
  keeps: z.array(memory).default([]),
});

/** The state after the last turn; what is absent is not looked at, but for `mails`, `server` and `files`, which are none. */
const expectation = z.strictObject({
  status: z.string().default('completed'),
  has: z.array(z.string()).default([]),
  hasAny: z.array(z.string()).optional(),
  hasNone: z.array(z.string()).default([]),
  saysUnknown: z.boolean().default(false),
  tellsCut: z.boolean().default(false),
  cites: z.array(z.string()).optional(),
  mails: z.array(z.strictObject({ to: z.string(), subject: z.string() })).default([]),
  server: z.array(z.strictObject({ tool: z.string(), has: z.array(z.string()) })).default([]),
  files: z.array(z.strictObject({ name: z.string(), has: z.array(z.string()) })).default([]),
  /** Tools that a person has to be asked about, where they are called. */
  asked: z.array(z.string()).default([]),
  never: z.array(z.string()).default([]),
  memories: z.strictObject({ has: z.array(z.string()).default([]), lacks: z.array(z.string()).default([]) }).optional(),
  calls: z.strictObject({ uses: z.array(z.string()).default([]), max: z.number().int().default(6) }).prefault({}),
  /** Read and written, over all turns. */
  tokens: z.number().int().default(120_000),
});

const task = z.strictObject({
  id: z.string(),
  language: z.enum(['en', 'de', 'ar']),
  /** `fresh`: somebody new, who has no documents. */
  as: z.enum(['ada', 'fresh']).default('ada'),
  turns: z.array(turn).min(1),
  expect: expectation,
});

export type Task = z.output<typeof task> & { category: string };
export type TaskTurn = z.output<typeof turn>;
export type Step = z.output<typeof step>;
export type Expectation = z.output<typeof expectation>;

const FOLDER = join(__dirname, '../tasks');

/** All tasks, category by category. @throws where a file does not fit, or two turns say the same */
export function readTasks(): Task[] {
  const tasks = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) =>
      z
        .array(task)
        .parse(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))
        .map((one) => ({ ...one, category: name.replace('.json', '') })),
    );
  for (const names of [tasks.map(({ id }) => id), tasks.flatMap(({ turns }) => turns.map(({ say }) => say))]) {
    const double = names.find((name, at) => names.indexOf(name) !== at);
    if (double !== undefined) throw new Error(`Two tasks have the same: ${double}`);
  }
  return tasks;
}
