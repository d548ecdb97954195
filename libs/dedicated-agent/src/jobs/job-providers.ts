import { AuditLog } from '@app/audit';
import { SystemClock } from '@app/common';
import { DataSource } from 'typeorm';
import { BudgetBook } from '../budget/budget-book.js';
import { DedicatedAgents } from '../agents/dedicated-agents.js';
import { AgentRuns } from '../runs/agent-runs.js';
import { Messages } from '@app/messages';
import { BudgetMails } from './budget-mails.js';
import { JobClock } from './job-clock.js';
import { AgentJobs } from './jobs.js';

const clock = new SystemClock();

export const jobProviders = [
  {
    provide: AgentJobs,
    inject: [DataSource, DedicatedAgents, AuditLog, BudgetBook],
    useFactory: (dataSource: DataSource, agents: DedicatedAgents, audit: AuditLog, budget: BudgetBook) =>
      new AgentJobs(dataSource, agents, audit, clock, budget),
  },
  {
    provide: JobClock,
    inject: [DataSource, AgentRuns, BudgetBook, Messages],
    useFactory: (dataSource: DataSource, runs: AgentRuns, budget: BudgetBook, messages: Messages) =>
      new JobClock(dataSource, runs, clock, new BudgetMails(budget, messages)),
  },
];
