import { DomainError } from '@app/common';
import {
  type NestedWork,
  Redaction,
  revealSecrets,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';

/**
 * The tool with the values of the secrets that its node names filled in, as the last thing before it works; what it
 * hands on, reports, logs or throws has them taken out again.
 * @param open gets the values. Called anew each time the tool runs.
 */
export function withSecrets(tool: Tool, open: () => Promise<ReadonlyMap<string, string>>): Tool {
  return {
    ...tool,
    run: async (params, context) => {
      const secrets = await open();
      const redaction = new Redaction(secrets.values());
      try {
        return redacted(
          await tool.run(revealSecrets(params, secrets), guarded(context, secrets, redaction)),
          redaction,
        );
      } catch (error) {
        throw redactedError(error, redaction);
      }
    },
  };
}

function guarded(context: ToolContext, secrets: ReadonlyMap<string, string>, redaction: Redaction): ToolContext {
  const { log, nested } = context;
  return {
    ...context,
    ...(nested && { nested: guardedNested(nested, secrets, redaction) }),
    progress: (update) => context.progress(redaction.ofValue(update)),
    text: (written) => context.text?.(redaction.ofText(written)),
    log: {
      info: (message, fields) => log.info(redaction.ofText(message), redaction.ofValue(fields)),
      warn: (message, fields) => log.warn(redaction.ofText(message), redaction.ofValue(fields)),
    },
  };
}

/** What is bound item by item names secrets too, and what is kept of an item must not hold them. */
function guardedNested(nested: NestedWork, secrets: ReadonlyMap<string, string>, redaction: Redaction): NestedWork {
  const clean = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      return redaction.ofValue(await work);
    } catch (error) {
      throw redactedError(error, redaction);
    }
  };
  const { items, children, failures } = nested;
  return {
    failures,
    children,
    sideEffectsOf: (kind, params) => nested.sideEffectsOf(kind, params),
    items: { ...items, save: (states) => items.save(redaction.ofValue(states)) },
    bind: (name, item, index) => revealSecrets({ bound: nested.bind(name, item, index) }, secrets).bound,
    runTool: (kind, params, key) => clean(nested.runTool(kind, params, key)),
    processItems: (all, process, options) =>
      nested.processItems(all, (item, index) => clean(process(item, index)), options),
  };
}

function redacted(result: ToolResult, redaction: Redaction): ToolResult {
  if ('wait' in result) return { wait: redaction.ofWait(result.wait) };
  return {
    ...result,
    output: redaction.ofValue(result.output),
    ...(result.warnings && { warnings: result.warnings.map((warning) => redaction.ofText(warning)) }),
  };
}

/** Without its cause, which may quote the request. */
function redactedError(error: unknown, redaction: Redaction): unknown {
  if (error instanceof ToolError) {
    return new ToolError(redaction.ofText(error.code), redaction.ofText(error.message), error.retryable);
  }
  // Named errors of other domains keep their class, which says whether another try may help.
  if (error instanceof DomainError) {
    error.message = redaction.ofText(error.message);
    return error;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const plain = new Error('The tool failed.');
  plain.stack = redaction.ofText(text);
  return plain;
}
