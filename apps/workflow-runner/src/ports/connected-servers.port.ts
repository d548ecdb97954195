import { DomainError } from '@app/common';
import type { McpTools, ToolResult } from '@app/mcp';
import { type McpPort, type StoragePort, ToolError, type Viewer } from '@app/workflow-definition';

const FOLDER = 'tools';
/** A little less than the node may take. */
const CALL_MS = 290_000;

/** What a node gets of a tool's answer: files are kept, and named where the answer had them. */
export interface ServerAnswer {
  text: string;
  structured: Record<string, unknown> | null;
  blocks: Record<string, unknown>[];
  files: { name: string; mime_type: string; media_path: string }[];
  truncated: boolean;
}

/** The tool servers that the viewer has connected, for workflows: named by their slug. */
export class ConnectedServers implements McpPort {
  constructor(
    private readonly tools: McpTools,
    private readonly storage: StoragePort,
  ) {}

  async call(
    viewer: Viewer,
    { server, tool, input }: { server: string; tool: string; input: Record<string, unknown> },
    options: { signal: AbortSignal; idempotencyKey: string },
  ): Promise<{ content: ServerAnswer; isError: boolean }> {
    try {
      const result = await this.tools.callOn(viewer.userId, { server, tool }, input, {
        ...options,
        timeoutMs: CALL_MS,
      });
      const { text, structured, content: blocks, isError, truncated } = result;
      const files = isError ? [] : await this.keep(viewer, server, result, options);
      return { content: { text, structured, blocks, files, truncated }, isError };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // The tool may have done its work although its answer was lost.
      throw new ToolError(error.code, error.message, false, { cause: error });
    }
  }

  private async keep(
    viewer: Viewer,
    server: string,
    { files }: ToolResult,
    { signal, idempotencyKey }: { signal: AbortSignal; idempotencyKey: string },
  ): Promise<ServerAnswer['files']> {
    const kept: ServerAnswer['files'] = [];
    for (const [index, { name, mimeType, data }] of files.entries()) {
      const file = { name: `${FOLDER}/${server}/${name}`, mimeType, content: data };
      const { mediaPath } = await this.storage.write(
        viewer,
        { ...file, idempotencyKey: `${idempotencyKey}:${index}` },
        signal,
      );
      // As text and blocks name it, whatever else lies in the folder.
      kept.push({ name, mime_type: mimeType, media_path: mediaPath });
    }
    return kept;
  }
}
