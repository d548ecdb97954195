import { AuditLog } from '@app/audit';
import { SystemClock } from '@app/common';
import { DataSource } from 'typeorm';
import { BudgetBook } from '../budget/budget-book.js';
import { DedicatedAgents } from '../agents/dedicated-agents.js';
import { AgentRuns } from '../runs/agent-runs.js';
import { Messages } from '@app/messages';
import { BudgetMails } from './budget-mails.js';
import { JobClock } from './job-clock.js';
import { JobNotices } from './job-notices.js';
import { AgentJobs } from './jobs.js';

const clock = new SystemClock();

export const jobProviders = [
  JobNotices,
  {
    provide: AgentJobs,
    inject: [DataSource, DedicatedAgents, AuditLog, BudgetBook],
    useFactory: (dataSource: DataSource, agents: DedicatedAgents, audit: AuditLog, budget: BudgetBook) =>
      new AgentJobs(dataSource, agents, audit, clock, budget),
  },
  {
    provide: JobClock,
    inject: [DataSource, AgentRuns, BudgetBook, Messages, JobNotices],
    useFactory: (
      dataSource: DataSource,
      runs: AgentRuns,
      budget: BudgetBook,
      messages: Messages,
      notices: JobNotices,
    ) => new JobClock(dataSource, runs, clock, new BudgetMails(budget, messages), notices),
  },
];
