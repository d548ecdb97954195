import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';

const UNAVAILABLE = 'MCP servers are not part of this deployment.';

export const mcpToolTool = defineKind({
  kind: 'mcp_tool',
  version: '1.0.0',
  title: 'Call an MCP tool',
  description: 'Calls a tool of an MCP server that you have connected.',
  category: categories.platform,
  icon: 'plug',
  // What the tool does is not known.
  sideEffects: 'external',
  timeoutSeconds: 300,
  connections: [{ type: 'mcp', required: true }],
  params: z.object({
    server: param(z.string().min(1).max(200), {
      label: 'Server',
      description: 'The slug of a connected server.',
      type: 'connection',
      acceptsRef: false,
    }),
    tool: param(z.string().min(1).max(200), {
      label: 'Tool',
      description: 'The name of the tool, as the server gives it.',
      acceptsRef: false,
    }),
    input: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Input',
      description: 'What the tool is called with, as its schema says.',
    }),
  }),
  output: z.object({ content: z.unknown() }),
  examples: [{ server: 'crm', tool: 'find_customer', input: { name: 'Ada' } }],
  unavailableReason: ({ mcp }) => (mcp ? null : UNAVAILABLE),
  run: async ({ server, tool, input }, { mcp, viewer, signal, idempotencyKey }) => {
    if (!mcp) throw new ToolError('mcp_not_available', UNAVAILABLE, false);
    const { content, isError } = await mcp.call(viewer, { server, tool, input }, { signal, idempotencyKey });
    if (isError) throw new ToolError('mcp_tool_failed', reasonIn(content));
    return { output: { content } };
  },
});

/**
 * What the tool says of its failure, such as which of its inputs is wrong: nobody else can tell what to do about it. It is
 * cut where failures of nodes are, behind what takes secrets out of them.
 */
function reasonIn(content: unknown): string {
  const told = z.object({ text: z.string() }).safeParse(content).data?.text ?? '';
  const said = told.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return said === '' ? 'The tool answered with an error.' : `The tool answered with an error: ${said}`;
}
