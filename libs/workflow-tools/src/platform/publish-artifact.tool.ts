import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { PAGE_FORMATS, toPage } from './published-page.js';

const UNAVAILABLE = 'Artifacts are not part of this deployment.';

const querySchema = z.object({
  /** By which the page asks for it. */
  name: z.string().min(1).max(63),
  /** `file:<uid>` or `ds:<id>`. */
  source_ref: z.string().min(1).max(100),
  sql: z.string().min(1).max(20_000),
  params: z
    .array(
      z.object({
        name: z.string().min(1).max(63),
        type: z.enum(['text', 'number', 'boolean', 'date']),
        /** For whoever gives none; without one it has to be given. */
        default: z.union([z.string().max(20_000), z.number(), z.boolean(), z.null()]).optional(),
      }),
    )
    .max(50)
    .default([]),
});

export const publishArtifactTool = defineKind({
  kind: 'publish_artifact',
  feature: 'dashboards',
  version: '1.1.0',
  title: 'Publish an artifact',
  description:
    'Publishes a page that can be opened, put on a board and shared; it may ask queries of your files and data sources. A node that runs again gives its artifact the next version.',
  category: categories.platform,
  icon: 'panel-top',
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 120,
  params: z.object({
    title: param(z.string().trim().min(1).max(200), { label: 'Title', description: 'As people find it.' }),
    format: param(z.enum(PAGE_FORMATS).default('html'), {
      label: 'Format',
      description: 'What the content is written in.',
    }),
    content: param(z.string().min(1).max(2_000_000), {
      label: 'Content',
      description: 'What is published. HTML asks its queries with `await atrium.query(name, params)`.',
      type: 'code',
    }),
    kind: param(z.enum(['auto', 'dashboard', 'report', 'page']).default('auto'), {
      label: 'Kind',
      description: 'What people look for it as; by itself, Markdown and text are reports, all else is a page.',
    }),
    queries: param(z.array(querySchema).max(50).default([]), {
      label: 'Queries',
      description:
        'What the page may ask: each with a name, a source (`file:<uid>` or `ds:<id>`), a single SELECT as sql, and params that it calls `:name`.',
    }),
    change_note: param(z.string().max(2000).default(''), {
      label: 'Change note',
      description: 'What is new in this version.',
    }),
  }),
  output: z.object({ artifact_id: z.string(), version: z.int(), title: z.string() }),
  examples: [
    { title: 'Report', format: 'markdown', content: '# All well' },
    {
      title: 'Trips',
      content:
        '<h1 id="n"></h1><script>atrium.query("trips").then(({ rows }) => (n.textContent = rows[0][0]))</script>',
      kind: 'dashboard',
      queries: [
        {
          name: 'trips',
          source_ref: 'file:00000000-0000-4000-8000-000000000000',
          sql: 'SELECT count(*) FROM trips WHERE city = :city',
          params: [{ name: 'city', type: 'text', default: 'Oslo' }],
        },
      ],
    },
  ],
  unavailableReason: ({ artifacts }) => (artifacts ? null : UNAVAILABLE),
  run: async ({ title, format, content, kind, queries, change_note: changeNote }, context) => {
    const { artifacts, viewer, runId, signal, idempotencyKey } = context;
    if (!artifacts) throw new ToolError('artifacts_not_available', UNAVAILABLE, false);
    const isReport = format === 'markdown' || format === 'text';
    const artifact = {
      title,
      kind: kind === 'auto' ? (isReport ? ('report' as const) : ('page' as const)) : kind,
      html: await toPage({ title, format, content }, context),
      queries: queries.map(({ source_ref: sourceRef, ...query }) => ({ ...query, sourceRef })),
      changeNote,
    };
    const { artifactId, version } = await artifacts.publish(viewer, artifact, { signal, idempotencyKey, runId });
    return { output: { artifact_id: artifactId, version, title } };
  },
});
