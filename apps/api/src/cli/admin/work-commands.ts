import { WAITING_TURNS } from '@app/agents';
import { InvalidRequestError, NotFoundError } from '@app/common';
import {
  DOCUMENT_FILTERS,
  DocumentAdministration,
  type DocumentFilter,
  findReindexingProgress,
  WAITING_DOCUMENTS,
} from '@app/documents';
import { readWaiting } from '@app/entities';
import { WAITING_MESSAGES } from '@app/messages';
import { LanguageModels, ModelProbes } from '@app/models';
import { WAITING_IMPORTS } from '@app/tabular';
import { RUN_STATUSES, RunAdministration, type RunStatusName, WAITING_RUNS } from '@app/workflows';
import type { Command } from 'commander';
import { DataSource } from 'typeorm';
import { type Open, ShownFailure, type Show, wholeNumber } from './command-parts.js';

interface RunOptions {
  status?: string;
  owner?: string;
  hours: string;
  limit: string;
}

function oneOf<T extends string>(raw: string, what: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === raw);
  if (found === undefined) throw new InvalidRequestError(`${what} must be one of: ${allowed.join(', ')}.`);
  return found;
}

/** What people wait for: runs, documents and the queues behind them. */
export function addWork(program: Command, open: Open, show: Show): void {
  addRuns(program, open, show);
  addDocuments(program, open, show);
  addModels(program, open, show);
  const queues = program.command('queues').description('what waits for a worker');
  queues
    .command('list', { isDefault: true })
    .description('how much waits, and how long the oldest has')
    .action(async () => {
      const kinds = [...WAITING_RUNS, ...WAITING_TURNS, ...WAITING_DOCUMENTS, ...WAITING_IMPORTS, ...WAITING_MESSAGES];
      const read = await readWaiting((await open()).get(DataSource), kinds);
      await show(
        Promise.resolve(
          Object.entries(read).map(([work, { waiting, oldestSeconds }]) => {
            return { work, waiting, oldest_seconds: Math.round(oldestSeconds) };
          }),
        ),
      );
    });
  queues
    .command('drain <workflow>')
    .description('cancels the webhook requests of a workflow that wait')
    .action(async (workflow: string) => show((await open()).get(RunAdministration).drain(workflow)));
}

function addModels(program: Command, open: Open, show: Show): void {
  const group = program.command('models').description('the language models of the settings');
  group.command('list').action(async () => {
    const models = (await open()).get(LanguageModels);
    const rows = models.list().map(({ id, name, value, provider, capability }) => {
      return { id, name, value, provider, capability, default: id === models.default.descriptor.id };
    });
    await show(Promise.resolve(rows));
  });
  group
    .command('test [id]')
    .description('asks each, or one, for a word; ends with 1 when one of them fails')
    .action(async (id: string | undefined) => {
      const probes = (await open()).get(ModelProbes);
      const wanted = id === undefined ? null : wholeNumber(id, 'The id', 1, 999_999_999);
      if (wanted !== null && !probes.find(wanted)) throw new NotFoundError('There is no such model.');
      const asked = await probes.run(undefined, (probe) => wanted === null || probe.id === wanted);
      const results = asked.filter((probe) => wanted === null || probe.id === wanted);
      await show(
        Promise.resolve(
          results.map((probe) => ({
            id: probe.id,
            name: probe.name,
            status: probe.status,
            code: probe.code,
            reason: probe.reason,
          })),
        ),
      );
      if (results.some(({ status }) => status === 'failed')) throw new ShownFailure();
    });
}

function addRuns(program: Command, open: Open, show: Show): void {
  const group = program.command('runs').description("everybody's runs of workflows");
  const runs = async () => (await open()).get(RunAdministration);
  group
    .command('list')
    .description('the last first, with the reason of a failure')
    .option('--status <status>', RUN_STATUSES.join(', '))
    .option('--owner <username>', 'of one person')
    .option('--hours <n>', 'that ended or began in the last so many hours', '24')
    .option('--limit <n>', 'at most so many', '50')
    .action(async ({ status, owner, hours, ...options }: RunOptions) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 10_000);
      const listed = (await runs()).list({
        status: status === undefined ? null : oneOf<RunStatusName>(status, '--status', RUN_STATUSES),
        owner: owner ?? null,
        hours: wholeNumber(hours, '--hours', 1, 100_000),
        limit,
      });
      await show(listed, limit);
    });
  group
    .command('show <run>')
    .description('its nodes, with the reasons of failures')
    .action(async (id: string) => show((await runs()).nodes(id)));
  group
    .command('retry <run>')
    .description('what had finished keeps its results')
    .option('--from-start', 'everything again')
    .action(async (id: string, { fromStart }: { fromStart?: boolean }) =>
      show((await runs()).retry(id, fromStart ? 'start' : 'failed')),
    );
  group
    .command('cancel <run>')
    .description('its workflow goes on with what waits')
    .action(async (id: string) => show((await runs()).cancel(id)));
}

function addDocuments(program: Command, open: Open, show: Show): void {
  const group = program.command('documents').description('the document store');
  const documents = async () => (await open()).get(DocumentAdministration);
  group
    .command('list')
    .description('the last to change first, with the reason of a failure')
    .option('--status <status>', DOCUMENT_FILTERS.join(', '), 'failed')
    .option('--owner <username>', 'of one person')
    .option('--limit <n>', 'at most so many', '50')
    .action(async (options: { status: string; owner?: string; limit: string }) => {
      const limit = wholeNumber(options.limit, '--limit', 1, 10_000);
      const status = oneOf<DocumentFilter>(options.status, '--status', DOCUMENT_FILTERS);
      await show((await documents()).list(status, options.owner ?? null, limit), limit);
    });
  group
    .command('retry [uid]')
    .description('one, or with --failed all that failed')
    .option('--failed', 'all that failed')
    .option('--owner <username>', 'of one person')
    .option('--limit <n>', 'at most so many', '1000')
    .action(async (uid: string | undefined, options: { failed?: boolean; owner?: string; limit: string }) => {
      if ((uid === undefined) === !options.failed) throw new InvalidRequestError('Give a uid, or --failed.');
      const administration = await documents();
      if (uid !== undefined) return show(administration.retry(uid));
      return show(administration.retryFailed(options.owner ?? null, wholeNumber(options.limit, '--limit', 1, 100_000)));
    });
  group.command('cancel <uid>').action(async (uid: string) => show((await documents()).cancel(uid)));
  group
    .command('reindexing')
    .description(
      'how many documents have an index of an older release, and how far reading them again is (REINDEX_OLD)',
    )
    .action(async () => show(findReindexingProgress((await open()).get(DataSource))));
}
