import { EXPIRY_POLICIES, MAX_JOB_NAME, MAX_JOB_PROMPT, NOTIFY_WAYS } from '@app/dedicated-agent';
import { z } from 'zod';

const settings = {
  name: z.string().trim().min(1).max(MAX_JOB_NAME),
  prompt: z.string().trim().min(1).max(MAX_JOB_PROMPT),
  schedule: z.string().trim().min(1).max(200),
  timezone: z.string().max(100).optional(),
  repeat: z.int().min(1).max(1_000_000).nullish(),
  notify: z.enum(NOTIFY_WAYS).optional(),
  on_expiry: z.enum(EXPIRY_POLICIES).optional(),
};

export const newJob = z.object(settings);
export const jobChange = z.object(settings).partial().extend({ job_id: z.string() });
export const jobAction = z.object({ job_id: z.string(), action: z.enum(['pause', 'resume', 'run']) });
export const namedJob = z.object({ job_id: z.string() });

const PROPERTIES = {
  name: { type: 'string', title: 'Name', maxLength: MAX_JOB_NAME },
  prompt: {
    type: 'string',
    title: 'Task',
    maxLength: MAX_JOB_PROMPT,
    description: 'What you are told each time. Nothing of this conversation is known then: say all that it takes.',
  },
  schedule: {
    type: 'string',
    title: 'When',
    description:
      '"every 2h", "30m", "in 30m", "tomorrow at 9", "daily at 07:30", "weekdays at 9", "mon, thu at 6:15 pm", "monthly on the 1st at 8", a cron expression of five fields, or an ISO moment.',
  },
  timezone: { type: 'string', title: 'Time zone', description: 'IANA name; UTC unless told.' },
  repeat: { type: 'integer', minimum: 1, title: 'Times', description: 'How often it runs; for ever unless told.' },
  notify: { type: 'string', enum: [...NOTIFY_WAYS], description: 'mail: results are mailed to the user, too.' },
  on_expiry: {
    type: 'string',
    enum: [...EXPIRY_POLICIES],
    description: 'Where the user allows nothing in time: halt ends the run, deny lets it go on without.',
  },
};

const JOB_ID = { job_id: { type: 'string', title: 'Job', description: 'Of list_jobs.' } };

export const NEW_JOB = schema(PROPERTIES, ['name', 'prompt', 'schedule']);
export const JOB_CHANGE = schema({ ...JOB_ID, ...PROPERTIES }, ['job_id']);
export const JOB_ACTION = schema({ ...JOB_ID, action: { type: 'string', enum: ['pause', 'resume', 'run'] } }, [
  'job_id',
  'action',
]);
export const NAMED_JOB = schema(JOB_ID, ['job_id']);
export const NOTHING = schema({}, []);

function schema(properties: Record<string, unknown>, required: readonly string[]): Record<string, unknown> {
  return { type: 'object', properties, required, additionalProperties: false };
}
