import {
  type Answer,
  type OutletDeclaration,
  param,
  type Question,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';
import { z } from 'zod';
import { nodeIdsParam } from '../params.js';

const MAX_DAYS = 90;

export const optionSchema = z.union([
  z.string().min(1).max(200),
  z.object({ value: z.string().min(1).max(200), label: z.string().max(500).optional() }),
]);

/** What every question has: a deadline, and the nodes that follow when it passes. */
export const deadlineParams = {
  expires_in_seconds: param(
    z.coerce
      .number()
      .min(1)
      .max(MAX_DAYS * 86_400)
      .optional(),
    {
      label: 'Time to answer, in seconds',
      type: 'number',
      description: `At most ${MAX_DAYS} days. Without it, the node waits until somebody answers or stops the run.`,
    },
  ),
  if_timeout: nodeIdsParam(
    'When nobody answers in time',
    'The next nodes that run then, and only then. Without any, the node fails with the code timed_out.',
  ),
};

export const timeoutOutlet: OutletDeclaration = {
  param: 'if_timeout',
  label: 'When nobody answers in time',
  names: ['timeout', 'timed-out', 'expired', 'no-answer'],
  isAside: true,
};

export const answerOutput = {
  timed_out: z.boolean(),
  message: z.string(),
  attached_files: z.array(z.string()),
  answered_by: z.object({ id: z.int(), username: z.string() }).nullable(),
  answered_at: z.string().nullable(),
};

export function toOption(option: z.output<typeof optionSchema>): { value: string; label: string } {
  return typeof option === 'string'
    ? { value: option, label: option }
    : { value: option.value, label: option.label ?? option.value };
}

interface Asked {
  reason: 'input' | 'approval';
  question: Question;
  expiresInSeconds: number | undefined;
  ifTimeout: readonly string[];
  /** What the answer adds to the output, and the `next` nodes that it rules out. */
  toResult(answer: Answer): { output: Record<string, unknown>; refused?: readonly string[] };
  /** What the output holds in its place when nobody answered. */
  unanswered: Record<string, unknown>;
  /** `next` nodes that belong to an answer. */
  answerBranches?: readonly string[];
}

/** Asks once, and goes on with the answer, or with the timeout branch. */
export function ask(asked: Asked, { resume, now, next }: ToolContext): ToolResult {
  if (!resume) {
    const { reason, question, expiresInSeconds } = asked;
    const until = expiresInSeconds === undefined ? {} : { until: now() + Math.round(expiresInSeconds * 1_000) };
    return { wait: { reason, question, ...until } };
  }
  const answer = resume.answer as Answer | null;
  if (!answer) return timedOut(asked, next);
  const { output, refused = [] } = asked.toResult(answer);
  const { message, attachedFiles, answeredBy, answeredAt } = answer;
  return {
    output: {
      ...output,
      timed_out: false,
      message,
      attached_files: attachedFiles,
      answered_by: answeredBy ?? null,
      answered_at: answeredAt,
    },
    chosen: next.filter((id) => !asked.ifTimeout.includes(id) && !refused.includes(id)),
  };
}

function timedOut({ ifTimeout, unanswered, answerBranches = [] }: Asked, next: readonly string[]): ToolResult {
  if (ifTimeout.length === 0) throw new ToolError('timed_out', 'Nobody answered in time.', false);
  const nobody = { timed_out: true, message: '', attached_files: [], answered_by: null, answered_at: null };
  return {
    output: { ...unanswered, ...nobody },
    chosen: next.filter((id) => ifTimeout.includes(id) && !answerBranches.includes(id)),
  };
}
