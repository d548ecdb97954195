import {
  holdsJsonText,
  JsonText,
  measureJson,
  type NodeUsage,
  type Tool,
  type ToolContext,
  ToolError,
  writeJson,
} from '@app/workflow-definition';

export const MAX_PART_BYTES = 256 * 1024;

/**
 * Runs a kind as a part of a node (an item of a batch, an agent's tool) with its own time limit.
 * @param told is told what it used of language models, also where it fails, and what it warns of.
 * @returns its output. @throws whatever the tool throws, and ToolError.
 */
export async function runPart(
  tool: Tool | undefined,
  kind: string,
  params: Record<string, unknown>,
  context: ToolContext,
  told: { used(usage: NodeUsage): void; warned?(warnings: readonly string[]): void },
  maxBytes = MAX_PART_BYTES,
): Promise<unknown> {
  if (!tool) throw new ToolError('unknown_kind', `There is no node kind "${kind}".`, false);
  if (!tool.isNestable) throw new ToolError('kind_not_nestable', `"${kind}" cannot be a part of another node.`, false);
  if (context.signal.aborted) throw new ToolError('aborted', 'The node was stopped.', false);
  const controller = new AbortController();
  let giveUp: ((error: ToolError) => void) | null = null;
  const abort = (): void => giveUp?.(new ToolError('aborted', 'The node was stopped.', false));
  context.signal.addEventListener('abort', abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    const running = tool.run(params, { ...context, signal: controller.signal });
    const end = (): Promise<never> =>
      new Promise((_, reject) => {
        giveUp = reject;
        const message = `It took longer than ${tool.timeoutSeconds} seconds.`;
        timer = setTimeout(() => reject(new ToolError('timeout', message)), tool.timeoutSeconds * 1_000);
      });
    const result = 'then' in running ? await Promise.race([running, end()]) : running;
    if ('wait' in result) throw new ToolError('wait_not_possible', `"${kind}" cannot wait here.`, false);
    if (result.usage) told.used(result.usage);
    if (result.warnings) told.warned?.(result.warnings);
    const output = holdsJsonText(result.output) ? readWhole(result.output, maxBytes) : result.output;
    const size = measureJson(output, maxBytes);
    if (size === null) throw new ToolError('invalid_output', 'The output cannot be written as JSON.', false);
    if (size.bytes > maxBytes) throw tooLarge(maxBytes);
    return output;
  } catch (error) {
    if (!(error instanceof ToolError) || error.usage === null) throw error;
    told.used(error.usage);
    // Whoever it fails, too, does not count it once more.
    throw new ToolError(error.code, error.message, error.retryable, { cause: error });
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', abort);
    controller.abort();
  }
}

function readWhole(output: unknown, maxBytes: number): unknown {
  const json = new JsonText(writeJson(output));
  if (json.bytes > maxBytes) throw tooLarge(maxBytes);
  return json.parse();
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError('output_too_large', `The output is larger than ${maxBytes} bytes.`, false);
}
