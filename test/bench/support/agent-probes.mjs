// What is asked of dedicated agents again and again, as the platform's own services do it.
const { SystemClock } = await import('@app/common');
const { TurnUsage } = await import('@app/models');
const { WorkClaims } = await import('@app/work');
const {
  AgentActivity,
  AgentConsole,
  AgentJobs,
  AgentLife,
  AgentRunFeed,
  AgentRunRetention,
  AgentRuns,
  DedicatedAgents,
  followWork,
  JobClock,
  RunLogCompaction,
} = await import('@app/dedicated-agent');

const noBus = { subscribe: () => Promise.resolve(() => undefined), publish: () => undefined };

/** @param owner somebody with an average share of the history @returns probes by name */
export function createAgentProbes({ dataSource, get }, owner) {
  const agents = new DedicatedAgents(dataSource);
  const feed = new AgentRunFeed(dataSource, noBus);
  const claims = get(WorkClaims);
  const runs = new AgentRuns(dataSource, agents, {}, claims, null, feed, null);
  const jobs = new AgentJobs(dataSource, agents, null, new SystemClock(), null);
  const console_ = new AgentConsole(dataSource, agents, runs, {}, noBus);
  const activity = new AgentActivity(dataSource, new TurnUsage(dataSource, true));
  const clock = new JobClock(dataSource, { create: () => Promise.reject(new Error('none')) }, new SystemClock());
  return {
    'agents: first page of runs': () => runs.list(owner.userId, {}, { page: 1, pageSize: 20 }),
    'agents: failed runs': () => runs.list(owner.userId, { status: 'failed' }, { page: 1, pageSize: 20 }),
    'agents: a run': () => runs.get(owner.userId, owner.runId),
    'agents: replay of a run': async () => {
      for await (const event of feed.follow(owner.runId, { after: 0, signal: AbortSignal.timeout(10_000) })) void event;
    },
    'agents: jobs': () => jobs.list(owner.userId, true),
    'agents: executions of a job': () => jobs.listExecutions(owner.userId, owner.jobId, { page: 1, pageSize: 20 }),
    'agents: activity': async () => activity.list(await agents.get(owner.userId), 50),
    'agents: spend': async () => activity.spentThisMonth(await agents.get(owner.userId)),
    'agents: present run of the console': () => console_.findPresent(owner.agentId),
    'agents: all stop': () => runs.stopAll(owner.userId),
    'agents: list for operators': () => new AgentLife(dataSource, null).list(100),
    'agents: jobs that are due': () => clock.fireDue(),
    'agents: old executions': () => clock.prune(),
    'agents: old runs': () => new AgentRunRetention(dataSource).removeSome(90),
    'agents: logs to be compacted': () => new RunLogCompaction(dataSource).compactSome(),
    'agents: lost runs': () => claims.listForgotten([followWork]),
    'agents: deletion of a run': async () => {
      const [run] = await dataSource.query(
        `INSERT INTO dedicated_agent_runs (id, agent_id, input, finished_at, next_attempt_at)
         VALUES (gen_random_uuid(), $1, 'x', now(), NULL) RETURNING id`,
        [owner.agentId],
      );
      await dataSource.query('DELETE FROM dedicated_agent_runs WHERE id = $1', [run.id]);
    },
  };
}
