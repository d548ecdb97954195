import {
  type ResourceType,
  type StoragePort,
  type Tool,
  type ToolCatalogue,
  type ToolContext,
  ToolError,
  valueAt,
  type Viewer,
} from '@app/workflow-definition';
import type { ClaimedRun, NodeActor, NodeTask } from '@app/workflows';

/** Whether people may still act, and reach what their nodes name. */
export interface ActorChecks {
  /** @throws ToolError `actor_lost_access` */
  requireActor(runId: string, workflowId: string, userId: number | null): Promise<void>;
  /** @throws ToolError `consent_required` */
  requireConsent(runId: string, workflowId: string, needed: { kinds: string[]; hosts: string[] }): Promise<void>;
  mayRun(userId: number, workflowId: string): Promise<boolean>;
}

interface ActingIn {
  runId: string;
  workflowId: string;
  actor: NodeActor;
  checks: ActorChecks;
  /** What an app's receiver has to have agreed to. */
  consent: { kinds: string[]; hosts: string[] } | null;
  /** The actor is the owner of the workflow, whose access nobody takes. */
  isOwner: boolean;
}

/** With whose rights the nodes of a run work. */
export class ActingNodes {
  constructor(
    private readonly run: ClaimedRun,
    private readonly catalogue: ToolCatalogue,
    /** Absent: nobody loses access. */
    private readonly checks?: ActorChecks,
  ) {}

  /** Where it is nobody's, the node is refused before it works. */
  userOf({ node }: NodeTask): number {
    return this.run.acting?.of(node, this.catalogue).userId ?? this.run.ownerId;
  }

  /** The owner's own nodes of a workflow that is no app are asked nothing: they stay as quick as they are. */
  guard(tool: Tool, task: NodeTask): Tool {
    const acting = this.actingIn(task);
    return acting ? asActor(tool, task, acting) : tool;
  }

  /** The same for a node that is done elsewhere, which names nothing of anybody. @throws ToolError as `ActorChecks` */
  async check(task: NodeTask): Promise<void> {
    const acting = this.actingIn(task);
    if (acting) await requirePerson(acting);
  }

  private actingIn({ node }: NodeTask): ActingIn | null {
    const { acting, runId, workflowId } = this.run;
    const { catalogue, checks } = this;
    if (!acting || !checks) return null;
    const actor = acting.of(node, catalogue);
    const [consent, isOwner] = [acting.consentFor(catalogue), acting.isOwner(actor.userId)];
    return { runId, workflowId, actor, checks, consent, isOwner };
  }
}

async function requirePerson({ actor, checks, consent, isOwner, runId, workflowId }: ActingIn): Promise<void> {
  if (consent) await checks.requireConsent(runId, workflowId, consent);
  if (!isOwner) await checks.requireActor(runId, workflowId, actor.userId);
}

/** The tool, which asks before it works whether its person may still act and everybody with a say reaches the same. */
function asActor(tool: Tool, task: NodeTask, acting: ActingIn): Tool {
  const { actor, checks, consent } = acting;
  if (acting.isOwner && !consent && actor.shared.length === 0) return tool;
  return {
    ...tool,
    run: async (params, context) => {
      await requirePerson(acting);
      for (const { param, type, others } of actor.shared)
        for (const { nodeId, userId } of others)
          if (userId === null || !(await reaches(userId, type, namedBy(params, param), checks, context)))
            throw new ToolError(
              'actor_cannot_reach',
              `What "${param}" names is decided by the node "${nodeId}" of somebody who cannot reach it. The owner of the workflow can adopt that node.`,
              false,
            );
      return tool.run(params, context);
    },
  };
}

/** The resolved values of a param; `params.file` is one of the kind that a batch applies. */
function namedBy(params: Record<string, unknown>, param: string): unknown {
  return valueAt(params, param.split('.'));
}

/** Nothing named may mean everything, and a part of a folder or a table cannot be told from here: then nobody else decides. */
async function reaches(
  userId: number,
  type: ResourceType,
  named: unknown,
  checks: ActorChecks,
  { storage, runId }: ToolContext,
): Promise<boolean> {
  const names = textsIn(named);
  if (names === null) return false;
  if (names.length === 0) return type === 'file' || type === 'workflow';
  switch (type) {
    case 'scope':
    case 'extracted_table':
      return false;
    case 'workflow':
      for (const id of names) if (!/^[0-9a-f-]{36}$/i.test(id) || !(await checks.mayRun(userId, id))) return false;
      return true;
    case 'document':
    case 'file':
    case 'table':
      for (const name of names) if (!storage || !(await isReadable(storage, { userId, runId }, name))) return false;
      return true;
  }
}

async function isReadable(storage: StoragePort, viewer: Viewer, name: string): Promise<boolean> {
  try {
    await storage.find(viewer, name);
    return true;
  } catch (error) {
    if (error instanceof ToolError && error.code === 'file_not_found') return false;
    throw error;
  }
}

/** The texts in lists and `{file}` objects; null where there is anything else, such as an item that is not known yet. */
function textsIn(value: unknown): string[] | null {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return value.includes('{{') ? null : [value];
  if (Array.isArray(value)) {
    const found = value.map(textsIn);
    return found.every((texts) => texts !== null) ? found.flat() : null;
  }
  if (typeof value === 'object' && 'file' in value) return textsIn(value.file);
  return null;
}
