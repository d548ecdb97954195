import { type NodeSpec, outletsOf, targetsAt, type ToolCatalogue, type WorkflowGraph } from '@app/workflow-definition';
import { RunEngine } from '../../engine/run-engine.js';

/** So many choices of one node are gone through; more are alike. */
const MAX_SCENARIOS = 12;

/**
 * Runs the graph in the engine that runs it later, with mocks in place of the kinds: in each run every node that chooses
 * takes another of its ways, and in the last one everything fails whose failure is handled.
 * @returns ids of nodes that ran in none of them
 */
export function runScenarios(
  graph: WorkflowGraph,
  catalogue: ToolCatalogue,
  outputOf: (node: NodeSpec) => unknown,
): { never: string[]; runs: number } {
  const most = Math.max(1, ...graph.nodes.map((node) => waysOf(node, catalogue).length));
  const hasHandled = graph.nodes.some(({ onError }) => onError !== 'fail');
  const scenarios = Math.min(most, MAX_SCENARIOS);
  const ran = new Set<string>();
  for (let scenario = 0; scenario < scenarios; scenario += 1) run(graph, catalogue, outputOf, scenario, false, ran);
  if (hasHandled) run(graph, catalogue, outputOf, 0, true, ran);
  const never = graph.nodes.filter(({ id }) => !ran.has(id)).map(({ id }) => id);
  return { never, runs: scenarios + Number(hasHandled) };
}

function run(
  graph: WorkflowGraph,
  catalogue: ToolCatalogue,
  outputOf: (node: NodeSpec) => unknown,
  scenario: number,
  isFailing: boolean,
  ran: Set<string>,
): void {
  const engine = new RunEngine(graph, [], { kindOf: (kind) => catalogue.find(kind), payload: {}, now: 0 });
  for (let tasks = engine.takeReady(0); tasks.length > 0; tasks = engine.takeReady(0)) {
    for (const { node } of tasks) {
      ran.add(node.id);
      if (isFailing && node.onError !== 'fail') {
        engine.fail(node.id, { code: 'mocked', message: 'Mocked.', retryable: false }, 0);
        continue;
      }
      const ways = waysOf(node, catalogue);
      const taken = ways[scenario % Math.max(1, ways.length)];
      engine.complete(node.id, { output: outputOf(node), ...(taken && { chosen: taken }) }, 0);
    }
  }
}

/** The nodes that follow by each way out; empty for a kind that does not choose. */
function waysOf(node: NodeSpec, catalogue: ToolCatalogue): string[][] {
  const tool = catalogue.find(node.kind);
  if (!tool?.isBranching) return [];
  const outlets = outletsOf(tool.outlets, node.params);
  const targets = outlets.map((outlet) => targetsAt(outlet, node.params));
  const named = new Set(targets.flat());
  // What no way out names is followed whatever is chosen; of a kind whose outlets stand aside, as its ordinary way.
  const always = node.next.filter((id) => !named.has(id));
  const hasAside = outlets.some(({ declaration }) => declaration.isAside);
  return [
    ...targets.map((ids) => [...ids, ...(hasAside ? [] : always)]),
    ...(hasAside || always.length > 0 ? [always] : []),
  ];
}
