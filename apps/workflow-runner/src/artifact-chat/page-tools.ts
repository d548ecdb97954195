import type { AgentTool } from '@app/agents';
import { ARTIFACT_KINDS, ARTIFACT_LIMITS, PARAM_TYPES, SourceQueries } from '@app/artifacts';
import { ToolCallError } from '@app/agents';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { deskTool } from '../agent/desk-tool.js';
import { type PageCaller, PageDesk } from './page-desk.js';
import { pageEdit, requireSources, writtenPage, writtenParams, writtenSql } from './page-edits.js';
import { SourceLooks } from './source-looks.js';

const MOST_SHOWN = 15_000;
const SHOWN_ROWS = 100;

const looking = z.strictObject({ source_ref: z.string().max(100), search: z.string().max(200).default('') });
const selecting = z.strictObject({
  source_ref: z.string().max(100),
  sql: writtenSql,
  params: z.record(z.string().max(63), z.union([z.string().max(2_000), z.number(), z.boolean(), z.null()])).default({}),
  declared: writtenParams,
});
const reading = z.strictObject({
  offset: z.int().min(0).default(0),
  length: z.int().min(1).max(MOST_SHOWN).default(MOST_SHOWN),
});
const checking = z.strictObject({ may_be_empty: z.array(z.string().max(63)).max(ARTIFACT_LIMITS.queries).default([]) });
const publishing = checking.extend({
  change_note: z.string().trim().min(1).max(ARTIFACT_LIMITS.changeNoteCharacters),
});

const PARAMS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Small letters, digits, _.' },
      type: { type: 'string', enum: [...PARAM_TYPES] },
      default: { description: 'Give each one: the page is checked with it. Dates are YYYY-MM-DD.' },
    },
    required: ['name', 'type'],
    additionalProperties: false,
  },
};
const QUERIES = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'By which the page asks for it: small letters, digits, _.' },
      source_ref: { type: 'string' },
      sql: { type: 'string', description: 'One SELECT. A parameter stands in it as :name, bound, never in quotes.' },
      params: PARAMS,
    },
    required: ['name', 'source_ref', 'sql'],
    additionalProperties: false,
  },
};
const KIND = { type: 'string', enum: [...ARTIFACT_KINDS] };
const MAY_BE_EMPTY = {
  type: 'array',
  items: { type: 'string' },
  description: 'Names of queries that give no rows because the data are like that.',
};

/** All that an agent of artifact-chat has. Those that write do not exist in `ask`. */
@Injectable()
export class PageTools {
  constructor(
    private readonly desk: PageDesk,
    private readonly looks: SourceLooks,
    private readonly sources: SourceQueries,
  ) {}

  list(caller: PageCaller, mode: 'build' | 'ask'): AgentTool[] {
    const readers = [this.lookAtSource(caller), this.runSelect(caller), this.readPage(caller)];
    return mode === 'ask' ? readers : [...readers, ...this.writers(caller)];
  }

  private lookAtSource(caller: PageCaller): AgentTool {
    return deskTool({
      name: 'look_at_source',
      title: 'Look at a source',
      description:
        'Shows the tables of a source with their columns and types, of a file with some values and first rows too. Look before you write queries.',
      schema: looking,
      properties: {
        source_ref: { type: 'string', description: 'file:<uid> or ds:<id>, of the notes.' },
        search: { type: 'string', description: 'Of a database: tables with this in their names.' },
      },
      required: ['source_ref'],
      run: async ({ source_ref: ref, search }, { signal }) => {
        await this.requireSource(caller, ref);
        return { output: await this.looks.look(caller.userId, ref, search, signal) };
      },
    });
  }

  private runSelect(caller: PageCaller): AgentTool {
    return deskTool({
      name: 'run_select',
      title: 'Run a query',
      description: `Runs one SELECT over the tables of one source and shows up to ${SHOWN_ROWS} rows: DuckDB SQL for files, the SQL of the database for connections. For questions, and to try a query before it goes into the page.`,
      schema: selecting,
      properties: {
        source_ref: { type: 'string' },
        sql: { type: 'string' },
        params: {
          type: 'object',
          description: 'Values of :name in the statement; one that is absent has its default.',
        },
        declared: { ...PARAMS, description: 'Each parameter of the statement.' },
      },
      required: ['source_ref', 'sql'],
      run: async ({ source_ref: sourceRef, sql, params, declared }, { signal }) => {
        await this.requireSource(caller, sourceRef);
        const query = { name: 'tried', sourceRef, sql, params: declared };
        const [outcome] = await this.sources.run(caller.userId, [{ query, params }], signal);
        if ('error' in outcome!) throw new ToolCallError(outcome.error.code, outcome.error.message, true);
        const { columns, rows, truncated } = outcome!;
        return {
          output: {
            columns: columns.map(({ name, type }) => `${name} ${type}`),
            rows: rows.slice(0, SHOWN_ROWS),
            row_count: rows.length,
            truncated: truncated || rows.length > SHOWN_ROWS,
          },
        };
      },
    });
  }

  private readPage(caller: PageCaller): AgentTool {
    return deskTool({
      name: 'read_page',
      title: 'Read the page',
      description: `Shows the page as it is now, its draft where there is one: title, queries, and ${MOST_SHOWN} characters of HTML at most from offset on.`,
      schema: reading,
      properties: {
        offset: { type: 'integer', minimum: 0 },
        length: { type: 'integer', minimum: 1, maximum: MOST_SHOWN },
      },
      run: async ({ offset, length }) => {
        const page = this.desk.page(await this.desk.subject(caller));
        if (!page) throw new ToolCallError('no_page', 'There is no page yet.');
        const { title, kind, html, queries, base, isDraft, isBehind } = page;
        const output = {
          title,
          kind,
          state: isDraft ? 'draft, not published' : 'published',
          version: base,
          ...(isBehind && {
            warning: 'Somebody published another version since this draft was begun. discard_draft takes that one.',
          }),
          ...(offset === 0 && {
            queries: queries.map(({ name, sourceRef, sql, params }) => ({ name, source_ref: sourceRef, sql, params })),
          }),
          characters: html.length,
          html: html.slice(offset, offset + length),
          more: offset + length < html.length,
        };
        return { output };
      },
    });
  }

  private writers(caller: PageCaller): AgentTool[] {
    return [
      deskTool({
        name: 'write_page',
        title: 'Write the page',
        description:
          'Writes the whole page as a draft, in the place of what there was. For a new page, or one that is made anew: for changes use edit_page.',
        effects: 'idempotent',
        schema: writtenPage,
        properties: {
          title: { type: 'string' },
          kind: KIND,
          html: { type: 'string', description: 'A whole HTML document, with its styles and scripts in it.' },
          queries: QUERIES,
        },
        required: ['title', 'html'],
        run: async (page, { idempotencyKey: key }) => ({ output: await this.desk.write(caller, key, page) }),
      }),
      deskTool({
        name: 'edit_page',
        title: 'Edit the page',
        description:
          'Changes the draft, or the version there is, by small edits, all or none: each text of find is replaced where it stands, just once unless all is true. Queries are set by name or removed.',
        effects: 'idempotent',
        schema: pageEdit,
        properties: {
          title: { type: 'string' },
          kind: KIND,
          edits: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                find: { type: 'string', description: 'Exactly as it stands in the HTML.' },
                replace: { type: 'string' },
                all: { type: 'boolean' },
              },
              required: ['find', 'replace'],
              additionalProperties: false,
            },
          },
          set_queries: QUERIES,
          remove_queries: { type: 'array', items: { type: 'string' } },
        },
        run: async (edit, { idempotencyKey: key }) => ({ output: await this.desk.edit(caller, key, edit) }),
      }),
      deskTool({
        name: 'discard_draft',
        title: 'Discard the draft',
        description: 'Throws the draft away: the published version is what there is again.',
        effects: 'idempotent',
        schema: z.strictObject({}),
        properties: {},
        run: async (_, { idempotencyKey: key }) => ({ output: await this.desk.discard(caller, key) }),
      }),
      deskTool({
        name: 'check_page',
        title: 'Check the page',
        description:
          'Opens the page without a window, with real data: says which scripts fail, which queries fail, give nothing or are unknown, and what people would read on it.',
        effects: 'idempotent',
        schema: checking,
        properties: { may_be_empty: MAY_BE_EMPTY },
        run: async ({ may_be_empty: mayBeEmpty }, { idempotencyKey: key, signal }) => {
          const { problems, ...found } = await this.desk.check(caller, key, { mayBeEmpty, signal });
          return { output: { works: problems.length === 0, problems, ...found } };
        },
      }),
      deskTool({
        name: 'publish_page',
        title: 'Publish the page',
        description:
          'Publishes the draft as the next version, which its user sees from then on. A page that fails its check is not published.',
        effects: 'idempotent',
        schema: publishing,
        properties: {
          change_note: {
            type: 'string',
            description: 'What is new, in one or two sentences, in the language of the user.',
          },
          may_be_empty: MAY_BE_EMPTY,
        },
        required: ['change_note'],
        run: async ({ change_note: changeNote, may_be_empty: mayBeEmpty }, { idempotencyKey: key, signal }) => {
          const published = await this.desk.publish(caller, key, { changeNote, mayBeEmpty, signal });
          return { output: published, dashboardId: published.artifact_id };
        },
      }),
    ];
  }

  private async requireSource(caller: PageCaller, ref: string): Promise<void> {
    const { refs } = await this.desk.subject(caller);
    requireSources([{ name: 'tried', sourceRef: ref, sql: '', params: [] }], refs);
  }
}
