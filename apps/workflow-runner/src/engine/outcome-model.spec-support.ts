/**
 * What a workflow comes to, whatever happens on the way: the rules of docs/contract/workflows.md#graph-rules, without
 * time, workers or
 * crashes. Each question is answered from scratch.
 */
export interface PlannedNode {
  id: string;
  kind: string;
  params: Record<string, unknown>;
  next: string[];
  error_next: string[];
  on_error: 'fail' | 'continue' | 'branch';
  requires: { wait_for: string[]; on_failed: 'skip' | 'continue' };
}

export interface Planned {
  nodes: PlannedNode[];
}

export interface Outcome {
  status: 'COMPLETED' | 'FAILED' | 'SKIPPED';
  output: unknown;
  /** Null: all of `next`. */
  chosen: string[] | null;
  code: string | null;
}

export interface RunOutcomes {
  status: 'COMPLETED' | 'FAILED';
  nodes: Map<string, Outcome>;
  result: unknown;
}

/** What the plan cannot know: whether a worker died while a node with external effects ran. */
type WasLost = (runId: string, nodeId: string, index?: number) => boolean;

export class OutcomeModel {
  constructor(
    private readonly workflows: ReadonlyMap<string, Planned>,
    private readonly wasLost: WasLost,
  ) {}

  run({ nodes }: Planned, runId: string): RunOutcomes {
    const outcomes = new Map<string, Outcome>();
    const find = (id: string): Outcome => {
      const known = outcomes.get(id);
      if (known) return known;
      const node = nodes.find((one) => one.id === id)!;
      const outcome = this.isSkipped(node, nodes, find) ? skipped : this.outcomeOf(node, runId);
      outcomes.set(id, outcome);
      return outcome;
    };
    for (const { id } of nodes) find(id);
    const isFailed = nodes.some(({ id, on_error: onError }) => find(id).status === 'FAILED' && onError === 'fail');
    const leaves = nodes.filter(({ id, next }) => next.length === 0 && find(id).status === 'COMPLETED');
    const results = leaves.map(({ id }) => [id, find(id).output] as const);
    const several = results.length === 0 ? null : Object.fromEntries(results);
    return {
      status: isFailed ? 'FAILED' : 'COMPLETED',
      nodes: outcomes,
      result: results.length === 1 ? results[0]![1] : several,
    };
  }

  private isSkipped(node: PlannedNode, nodes: PlannedNode[], find: (id: string) => Outcome): boolean {
    const leadsHere = (one: PlannedNode): boolean =>
      one.next.includes(node.id) || (one.on_error === 'branch' && one.error_next.includes(node.id));
    const before = nodes.filter(leadsHere);
    const isSelected = before.some((one) => {
      const { status, chosen } = find(one.id);
      if (status === 'COMPLETED') return one.next.includes(node.id) && (chosen === null || chosen.includes(node.id));
      if (status !== 'FAILED') return false;
      if (one.on_error === 'continue') return !isBranching(one) && one.next.includes(node.id);
      return one.on_error === 'branch' && one.error_next.includes(node.id);
    });
    const isBlocked = (one: PlannedNode): boolean =>
      nodes.some((other) => {
        if (!other.next.includes(one.id)) return false;
        const { status } = find(other.id);
        return status === 'FAILED' ? other.on_error === 'fail' : status === 'SKIPPED' && isBlocked(other);
      });
    if (before.length > 0 && (!isSelected || isBlocked(node))) return true;
    const { wait_for: awaited, on_failed: onFailed } = node.requires;
    return onFailed === 'skip' && awaited.some((id) => find(id).status === 'FAILED');
  }

  private outcomeOf(node: PlannedNode, runId: string): Outcome {
    const { params, next } = node;
    switch (node.kind) {
      case 'value':
      case 'effect':
        return params.fails ? failed('scripted') : completed({ value: node.id });
      case 'pay':
        return this.wasLost(runId, node.id) ? failed('worker_lost') : completed({ value: node.id });
      case 'choose':
        return { ...completed({ value: node.id }), chosen: params.chosen as string[] };
      case 'delay':
        return completed('until');
      case 'ask': {
        const question = String(params.question);
        const late = params.if_timeout as string[];
        if (question !== 'nobody') return { ...completed(question), chosen: next.filter((id) => !late.includes(id)) };
        return late.length === 0 ? failed('timed_out') : { ...completed(null), chosen: late };
      }
      case 'batch':
        return this.many(node, (_item, index) => {
          if ((params.params as { kind?: string }).kind === 'pay' && this.wasLost(runId, node.id, index))
            return failed('worker_lost');
          return index % 3 === params.failing ? failed('scripted') : completed({ value: index });
        });
      case 'loop':
        return this.many(node, (_item, index) => {
          const prefix = params.body ? 'body:' : '';
          const child = `${runId}/${node.id}/${prefix}0.${index}`;
          return this.child((params.body as Planned | undefined) ?? this.workflow(params), child);
        });
      case 'sub_workflow': {
        const { status, output } = this.child(this.workflow(params), `${runId}/${node.id}/0`);
        return status === 'COMPLETED' ? completed(output) : failed('child_failed');
      }
      default:
        throw new Error(`What does ${node.kind} do?`);
    }
  }

  private workflow(params: Record<string, unknown>): Planned {
    return this.workflows.get(params.workflow_id as string)!;
  }

  private child(definition: Planned, runId: string): Outcome {
    const { status, result } = this.run(definition, runId);
    return status === 'COMPLETED' ? completed(result) : failed('child');
  }

  private many({ params }: PlannedNode, work: (item: unknown, index: number) => Outcome): Outcome {
    const outcomes = (params.items as unknown[]).map(work);
    const failures = outcomes.flatMap(({ status }, index) => (status === 'FAILED' ? [index] : []));
    if (failures.length > 0 && params.item_failures === 'fail') return failed('item_failed');
    return completed({ results: outcomes.map(({ output }) => output), failed: failures });
  }
}

const skipped: Outcome = { status: 'SKIPPED', output: null, chosen: null, code: null };

function completed(output: unknown): Outcome {
  return { status: 'COMPLETED', output, chosen: null, code: null };
}

function failed(code: string): Outcome {
  return { status: 'FAILED', output: null, chosen: null, code };
}

function isBranching({ kind }: PlannedNode): boolean {
  return kind === 'choose' || kind === 'ask';
}
