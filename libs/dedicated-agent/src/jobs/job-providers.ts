import { AuditLog } from '@app/audit';
import { SystemClock } from '@app/common';
import { DataSource } from 'typeorm';
import { DedicatedAgents } from '../agents/dedicated-agents.js';
import { AgentRuns } from '../runs/agent-runs.js';
import { JobClock } from './job-clock.js';
import { JobNotices } from './job-notices.js';
import { AgentJobs } from './jobs.js';

const clock = new SystemClock();

export const jobProviders = [
  JobNotices,
  {
    provide: AgentJobs,
    inject: [DataSource, DedicatedAgents, AuditLog],
    useFactory: (dataSource: DataSource, agents: DedicatedAgents, audit: AuditLog) =>
      new AgentJobs(dataSource, agents, audit, clock),
  },
  {
    provide: JobClock,
    inject: [DataSource, AgentRuns, JobNotices],
    useFactory: (dataSource: DataSource, runs: AgentRuns, notices: JobNotices) =>
      new JobClock(dataSource, runs, clock, notices),
  },
];
