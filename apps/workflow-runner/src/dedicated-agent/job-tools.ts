import { type AgentTool, cutLine, type Party, type ToolAnswer, ToolCallError } from '@app/agents';
import { DomainError } from '@app/common';
import { AgentJobs, AgentRuns, DedicatedAgents, type JobInput, type JobRecord } from '@app/dedicated-agent';
import { toolApproval } from '@app/workflow-definition';
import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { TurnCaller } from '../agent/catalogue-tools.js';
import { toCallError } from '../agent/tool-failure.js';
import {
  JOB_ACTION,
  JOB_CHANGE,
  jobAction,
  jobChange,
  NAMED_JOB,
  namedJob,
  NEW_JOB,
  newJob,
  NOTHING,
} from './job-tool-schemas.js';

/** What stands in them is done later, unattended: strangers' words get there with the consent of the user only. */
const JOBS: Party = { key: 'jobs', label: 'your jobs' };
const SHOWN = 300;

type Settings = Omit<z.infer<typeof jobChange>, 'job_id'>;

/** Lets a dedicated agent see and set its own jobs. What changes them is asked about, but for a pause. */
@Injectable()
export class JobTools {
  private readonly logger = new Logger(JobTools.name);

  constructor(
    private readonly jobs: AgentJobs,
    private readonly runs: AgentRuns,
    private readonly agents: DedicatedAgents,
  ) {}

  list(caller: TurnCaller): AgentTool[] {
    return [this.lister(caller), this.maker(caller), this.changer(caller), this.actor(caller), this.remover(caller)];
  }

  private lister({ viewer: { userId } }: TurnCaller): AgentTool {
    return {
      name: 'list_jobs',
      title: 'List your jobs',
      description:
        'Lists the jobs that you do by the clock, with ids, schedules and how each ended last. Not for workflows: list_workflows.',
      inputSchema: NOTHING,
      effectsOf: () => 'none',
      approvalFor: () => null,
      run: (_input, { signal }) =>
        this.answer('list_jobs', signal, async () => ({ jobs: (await this.jobs.list(userId, true)).map(toShown) })),
    };
  }

  private maker({ viewer: { userId }, workId }: TurnCaller): AgentTool {
    return {
      ...CHANGING,
      name: 'create_job',
      title: 'Give yourself a job',
      description:
        'Has a task done later or again and again, by yourself, when nobody is there. The user is asked first. Not for another time or text of a job that there is: change_job. Not for a workflow, which works without you: run_workflow.',
      inputSchema: NEW_JOB,
      approvalFor: (input) => {
        const { name, schedule, prompt } = input;
        const summary = `Create the job ${quoted(name)}, ${String(schedule)}: ${cutLine(String(prompt), SHOWN)}`;
        return toolApproval('create_job', whole(input), summary);
      },
      run: (input, { signal }) =>
        this.answer('create_job', signal, async () => {
          const settings = parse(newJob, input);
          const isMadeByJob = await this.requireMaker(userId, workId);
          const editor = await this.agents.ownerOf(userId);
          return toShown(await this.jobs.create(editor, toInput(settings), false, { isMadeByJob }));
        }),
    };
  }

  private changer({ viewer: { userId } }: TurnCaller): AgentTool {
    return {
      ...CHANGING,
      name: 'change_job',
      title: 'Change a job',
      description:
        'Changes name, task, schedule or other settings of a job; what is left out stays. The user is asked first. Not for stopping it for a while: job_action.',
      inputSchema: JOB_CHANGE,
      approvalFor: async (input) => {
        const { job_id: id, ...changes } = input;
        const told = cutLine(JSON.stringify(changes), SHOWN);
        return toolApproval('change_job', whole(input), `Change the job ${await this.nameOf(userId, id)}: ${told}`);
      },
      run: (input, { signal }) =>
        this.answer('change_job', signal, async () => {
          const { job_id: id, ...settings } = parse(jobChange, input);
          return toShown(await this.jobs.update(await this.agents.ownerOf(userId), id, toInput(settings)));
        }),
    };
  }

  private actor({ viewer: { userId }, workId }: TurnCaller): AgentTool {
    return {
      ...CHANGING,
      name: 'job_action',
      title: 'Pause, resume or run a job',
      description:
        'Pauses a job, has a paused one go on, or has one run now. The user is asked first, unless it is paused. Not for workflows: run_workflow.',
      inputSchema: JOB_ACTION,
      approvalFor: async ({ job_id: id, action }) =>
        action === 'pause'
          ? null
          : toolApproval(
              'job_action',
              `${String(action)}:${String(id)}`,
              `Have the job ${await this.nameOf(userId, id)} ${action === 'run' ? 'run now' : 'go on'}`,
            ),
      run: (input, { signal }) =>
        this.answer('job_action', signal, async () => {
          const { job_id: id, action } = parse(jobAction, input);
          // Two jobs that have each other run would never rest.
          if (action === 'run' && (await this.isOfJob(userId, workId)))
            throw new ToolCallError('job_nesting', 'What a job began has no job run.');
          return toShown(await this.jobs[action](await this.agents.ownerOf(userId), id));
        }),
    };
  }

  private remover({ viewer: { userId } }: TurnCaller): AgentTool {
    return {
      ...CHANGING,
      name: 'delete_job',
      title: 'Delete a job',
      description:
        'Deletes a job for good. The user is asked first. Not for a rest: job_action, for something else at its place: change_job, or create_job.',
      inputSchema: NAMED_JOB,
      approvalFor: async ({ job_id: id }) =>
        toolApproval('delete_job', String(id), `Delete the job ${await this.nameOf(userId, id)}`),
      run: (input, { signal }) =>
        this.answer('delete_job', signal, async () => {
          const { job_id: id } = parse(namedJob, input);
          await this.jobs.delete(await this.agents.ownerOf(userId), id);
          return { deleted: true };
        }),
    };
  }

  /**
   * @returns whether a job began what asks. @throws ToolCallError where that job was made by another one: jobs that make
   * jobs that make jobs have no end
   */
  private async requireMaker(userId: number, runId: string): Promise<boolean> {
    const { jobId } = await this.runs.get(userId, runId);
    if (jobId === null) return false;
    const job = (await this.jobs.list(userId, true)).find(({ id }) => id === jobId);
    if (job && !job.madeByJob) return true;
    throw new ToolCallError('job_nesting', 'A job that another job made makes no jobs.');
  }

  private async isOfJob(userId: number, runId: string): Promise<boolean> {
    return (await this.runs.get(userId, runId)).jobId !== null;
  }

  /** For whoever has to agree. */
  private async nameOf(userId: number, id: unknown): Promise<string> {
    try {
      return quoted((await this.jobs.get(userId, String(id))).name);
    } catch (error) {
      if (error instanceof DomainError) return String(id);
      throw error;
    }
  }

  private async answer(tool: string, signal: AbortSignal, work: () => Promise<unknown>): Promise<ToolAnswer> {
    try {
      return { output: await work() };
    } catch (error) {
      signal.throwIfAborted();
      throw toCallError(error, tool, this.logger);
    }
  }
}

const CHANGING = { effectsOf: () => 'external' as const, targetOf: () => JOBS };

/** What is agreed to is all of it; a row of the database keeps the members of an object in another order. */
const whole = (input: Record<string, unknown>): string => JSON.stringify(Object.entries(input).sort());

const quoted = (name: unknown): string => JSON.stringify(typeof name === 'string' ? name : '');

function toInput({ name, prompt, schedule, timezone, repeat, notify, on_expiry: onExpiry }: Settings): JobInput {
  return { name, prompt, schedule, timezone, repeat, notify, onExpiry };
}

function toShown(job: JobRecord): Record<string, unknown> {
  return {
    id: job.id,
    name: job.name,
    prompt: cutLine(job.prompt, SHOWN),
    schedule: job.display,
    timezone: job.timezone,
    state: job.state,
    next_run_at: job.nextRunAt,
    last_run_at: job.lastRunAt,
    last_status: job.lastStatus,
    last_error: job.lastError,
    repeat: { times: job.repeatTimes, completed: job.repeatCompleted },
    notify: job.notify,
    on_expiry: job.onExpiry,
  };
}

function parse<S extends z.ZodType>(shape: S, input: unknown): z.output<S> {
  const parsed = shape.safeParse(input);
  if (!parsed.success) throw new ToolCallError('invalid_params', z.prettifyError(parsed.error), true);
  return parsed.data;
}
