import { DomainError } from '@app/common';
import type { OpenedSecrets } from '@app/workflows';
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
export function withSecrets(tool: Tool, open: () => Promise<OpenedSecrets>): Tool {
  return {
    ...tool,
    run: async (params, context) => {
      const { values: secrets, hosts } = await open();
      const redaction = new Redaction(secrets.values());
      if (hosts) requireBoundKind(tool.kind);
      try {
        return redacted(
          await tool.run(
            revealSecrets(params, secrets),
            guarded(hosts ? boundTo(hosts, context) : context, secrets, redaction),
          ),
          redaction,
        );
      } catch (error) {
        throw redactedError(error, redaction);
      }
    },
  };
}

function guarded(context: ToolContext, secrets: ReadonlyMap<string, string>, redaction: Redaction): ToolContext {
  const { log, nested, storage } = context;
  return {
    ...context,
    // Names of files are listed where no output is.
    ...(storage && {
      storage: {
        find: (viewer, file) => storage.find(viewer, file),
        findWritten: (viewer, key) => storage.findWritten(viewer, key),
        write: (viewer, file, signal) => storage.write(viewer, { ...file, name: redaction.ofText(file.name) }, signal),
      },
    }),
    ...(nested && { nested: guardedNested(nested, secrets, redaction) }),
    progress: (update) => context.progress(redaction.ofValue(update)),
    text: (written) => context.text?.(redaction.ofText(written)),
    log: {
      info: (message, fields) => log.info(redaction.ofText(message), redaction.ofValue(fields)),
      warn: (message, fields) => log.warn(redaction.ofText(message), redaction.ofValue(fields)),
    },
  };
}

/** Kinds that do nothing with their params but send them through the guarded way out, where hosts can be held to. */
const BOUND_KINDS: ReadonlySet<string> = new Set(['http_request', 'webhook_out']);

/** @throws ToolError `secret_not_allowed` */
function requireBoundKind(kind: string): void {
  if (BOUND_KINDS.has(kind)) return;
  throw new ToolError(
    'secret_not_allowed',
    `A secret that goes to named hosts only can stand in ${[...BOUND_KINDS].join(' and ')}, not in ${kind}.`,
    false,
  );
}

/** The same context, whose requests reach these hosts alone, by redirects too. */
function boundTo(hosts: ReadonlySet<string>, context: ToolContext): ToolContext {
  const { http } = context;
  if (!http) return context;
  return {
    ...context,
    http: {
      request: async (address, request) => {
        requireHost(hosts, address);
        return http.request(address, { ...request, staysAtHost: true });
      },
    },
  };
}

/** @throws ToolError `secret_host_refused` */
function requireHost(hosts: ReadonlySet<string>, address: string | URL): void {
  const url = URL.parse(String(address));
  if (url) {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    if (hosts.has(url.hostname) || hosts.has(`${url.hostname}:${port}`)) return;
  }
  throw new ToolError('secret_host_refused', 'A secret of this node may not be sent to that host.', false);
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
