import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';

const UNAVAILABLE = 'Artifacts are not part of this deployment yet.';

export const publishArtifactTool = defineKind({
  kind: 'publish_artifact',
  version: '1.0.0',
  title: 'Publish an artifact',
  description: 'Publishes a page or a document that can be opened and shared.',
  category: categories.platform,
  icon: 'panel-top',
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 60,
  params: z.object({
    title: param(z.string().trim().min(1).max(200), { label: 'Title', description: 'As people find it.' }),
    format: param(z.enum(['html', 'markdown', 'svg', 'text']).default('html'), {
      label: 'Format',
      description: 'What the content is written in.',
    }),
    content: param(z.string().min(1).max(2_000_000), {
      label: 'Content',
      description: 'What is published.',
      type: 'code',
    }),
  }),
  output: z.object({ artifact_id: z.string(), version: z.int(), title: z.string() }),
  examples: [{ title: 'Report', format: 'markdown', content: '# All well' }],
  unavailableReason: ({ artifacts }) => (artifacts ? null : UNAVAILABLE),
  run: async ({ title, format, content }, { artifacts, viewer, signal, idempotencyKey }) => {
    if (!artifacts) throw new ToolError('artifacts_not_available', UNAVAILABLE, false);
    const artifact = { title, kind: format, content };
    const { artifactId, version } = await artifacts.publish(viewer, artifact, { signal, idempotencyKey });
    return { output: { artifact_id: artifactId, version, title } };
  },
});
