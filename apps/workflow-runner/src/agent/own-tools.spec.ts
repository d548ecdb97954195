import { type AgentTool, AgentTools, type MemoryRows, type MemorySearch, readResultTool, ToolIndex } from '@app/agents';
import { SystemClock } from '@app/common';
import type { Gates } from '@app/entitlements';
import type { ImageGeneration } from '@app/integrations';
import { estimateToolTokens } from '@app/models';
import type { ToolPorts } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import type { DataSource } from 'typeorm';
import { BuildWorkflowTool } from '../dedicated-agent/build-workflow-tool.js';
import { JobTools } from '../dedicated-agent/job-tools.js';
import { AgentToolbox } from './agent-toolbox.js';
import { CatalogueTools } from './catalogue-tools.js';
import { MemoryTools } from './memory-tools.js';
import type { ResourceTools } from './resource-tools.js';
import type { ServerTools } from './server-tools.js';
import { WorkflowTools } from './workflow-tools.js';

/** Of what the description of a tool scores itself, so much of another tool says that they may be taken for each other. */
const ALIKE = 0.4;

/** Nothing is asked of it but whether it is there. */
const there = <T>(): T => new Proxy({}, { get: () => ({ available: true }) }) as T;
const nobody = { list: () => Promise.resolve([]), instructions: () => Promise.resolve(new Map()) };

const caller = { viewer: { userId: 7, turnId: 't' }, workId: 't', onPremises: false, tell: () => undefined };

/** What a conversation is given by a deployment that may offer all. */
function openTools() {
  const rows = { isEnabled: () => Promise.resolve(true) } as unknown as MemoryRows;
  const ports = there<ToolPorts>();
  const database = there<DataSource>();
  const toolbox = new AgentToolbox(
    new CatalogueTools(toolCatalogue, ports, new SystemClock()),
    new WorkflowTools(there()),
    nobody as unknown as ServerTools,
    nobody as unknown as ResourceTools,
    new MemoryTools(database, rows, there<MemorySearch>()),
    database,
    ports,
    there<ImageGeneration>(),
    null,
    { missingOf: () => Promise.resolve(new Set()) } as unknown as Gates,
  );
  return { ports, opened: toolbox.open(caller, new AbortController().signal) };
}

/** All that a deployment may offer of its own. */
async function ownTools(): Promise<AgentTool[]> {
  const { ports, opened } = openTools();
  const { own } = await opened;
  const jobs = new JobTools(there(), there(), there());
  const building = new BuildWorkflowTool(ports, there(), there(), there(), there(), there(), there(), there());
  return [...own, ...jobs.list(caller), building.of(caller)];
}

const names = (one: AgentTool, other: AgentTool) => new RegExp(`\\b${other.name}\\b`).test(one.description);
/** What it does: neither what it is not for, nor names of tools, which are found before all else. */
const spoken = ({ name, title, description }: AgentTool) => {
  const does = description.replaceAll(/Not for [^.]*\./g, '').replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, '');
  return `${name.replaceAll('_', ' ')} ${title} ${does}`;
};

function alikeUnsaid(tools: readonly AgentTool[]): string[] {
  const index = new ToolIndex(tools.map((tool) => ({ ...tool, description: spoken(tool) })));
  return tools.flatMap((one, at) => {
    const scores = index.scores(spoken(one));
    return tools.flatMap((other, place) => {
      const isAlike = place !== at && scores[place]! / scores[at]! > ALIKE;
      return isAlike && !names(one, other) && !names(other, one) ? [`${one.name} ${other.name}`] : [];
    });
  });
}

describe('the tools that agents are given', () => {
  it('are said apart where their descriptions are alike', async () => {
    const tools = await ownTools();
    expect(tools.length).toBeGreaterThan(20);
    expect(alikeUnsaid(tools)).toEqual([]);
  });

  it('are noticed where nobody said them apart', async () => {
    const tools = await ownTools();
    const mute = tools.map((tool) => ({ ...tool, description: tool.description.replaceAll(/Not for [^.]*\./g, '') }));
    expect(alikeUnsaid(mute).length).toBeGreaterThan(3);
  });

  it.each([
    [4_096, 5],
    [8_192, 12],
    [16_384, 28],
    [32_768, 28],
  ])('leave a window of %i tokens room for what is spoken of', async (window, least) => {
    const { own, finding } = await openTools().opened;
    const reader = readResultTool({ find: () => Promise.resolve(null) } as never, 20_000);
    const options = { asksUser: true, ...finding };
    const tools = new AgentTools([...own, reader], [], options);
    const whole = tools.shown([]);
    tools.fitTo(window);
    const shown = tools.shown([]);
    expect(estimateToolTokens(shown)).toBeLessThan(window * 0.27);
    expect(shown.length).toBeGreaterThanOrEqual(least);
    expect(shown.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['semantic_search', 'database_query', 'read_result']),
    );
    if (window >= 32_000) expect(shown).toEqual(whole);
    // Whatever is not shown is named.
    const { description = '' } = shown.find(({ name }) => name === 'find_tools') ?? {};
    for (const { name } of whole)
      expect(shown.some((one) => one.name === name) || description.includes(name)).toBe(true);
  });
});
