import { WorkflowTools, type Workflows } from './workflow-tools.js';

const id = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

/** Runs never end; how often they were looked at tells whether somebody waited. */
function toolsOf() {
  const seen = { starts: 0, versions: [] as number[] };
  const workflows = {
    access: { requireRun: () => Promise.resolve(), require: () => Promise.resolve() },
    control: { start: () => Promise.resolve((seen.starts += 1)) },
    results: {
      find: (_id: string, version: number) => {
        seen.versions.push(version);
        return Promise.resolve({ status: 'RUNNING', error: null, result: null });
      },
    },
  } as unknown as Workflows;
  const tools = new WorkflowTools(workflows).list({ userId: 7 });
  const run = (name: string, input: Record<string, unknown>) => {
    const tool = tools.find((one) => one.name === name)!;
    return tool.run(input, { signal: new AbortController().signal } as Parameters<typeof tool.run>[1]);
  };
  return { seen, run };
}

it('takes a number that a model writes as a text', async () => {
  const { seen, run } = toolsOf();
  expect(await run('run_workflow', { workflow_id: id, wait_seconds: '0' })).toMatchObject({
    output: { version: 1, status: 'RUNNING' },
  });
  await run('workflow_result', { workflow_id: id, version: '3' });
  expect(seen.versions).toEqual([1, 3]);
});

it.each(['soon', -1, 1.5, true, {}])('starts nothing when wait_seconds is %j', async (seconds) => {
  const { seen, run } = toolsOf();
  await expect(run('run_workflow', { workflow_id: id, wait_seconds: seconds })).rejects.toMatchObject({
    code: 'invalid_params',
    isMistake: true,
  });
  await expect(run('workflow_result', { workflow_id: id, version: seconds })).rejects.toThrow('whole number');
  expect(seen.starts).toBe(0);
});
