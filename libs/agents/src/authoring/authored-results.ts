import type { AuthoredDraft, AuthoringResult, AuthoringRoute, DraftProblem } from '@app/workflows';
import type { Plan } from './authoring-schemas.js';
import { toQuestions } from './read-plan.js';

/** All of the result but what only saving and the turn know. */
export type Authored = Omit<AuthoringResult, 'turn_id' | 'workflow_id' | 'content_revision'>;

const nothing = {
  message: '',
  json_spec: null,
  summary: '',
  questions: [],
  suggestions: [],
  warnings: [],
  error: null,
};

export function clarification(plan: Plan): Authored {
  const { message, summary } = plan;
  return {
    ...nothing,
    status: 'clarification',
    message,
    summary,
    questions: toQuestions(plan.questions),
    route: 'clarify',
  };
}

export function explained(message: string, spec: Record<string, unknown> | null, summary: string): Authored {
  return { ...nothing, status: 'completed', message, json_spec: spec, summary, route: 'explain' };
}

/** With what the dry run could not do away with as warnings. */
export function completed({ texts, result }: AuthoredDraft, plan: Plan, route: AuthoringRoute): Authored {
  return {
    status: 'completed',
    message: texts.message ?? plan.message,
    json_spec: result.spec,
    summary: texts.summary ?? plan.summary,
    questions: texts.questions,
    suggestions: texts.suggestions,
    warnings: [...result.problems.map(toWarning), ...result.warnings],
    route,
    error: null,
  };
}

/** The last try goes along, so that a person can mend it by hand. */
export function failed(draft: AuthoredDraft, plan: Plan, route: AuthoringRoute): Authored {
  const detail = 'The language model did not come to a definition that passes the checks.';
  return {
    ...completed(draft, plan, route),
    status: 'failed',
    message: detail,
    error: { code: 'invalid_definition', detail },
  };
}

function toWarning({ code, nodeId, message }: DraftProblem) {
  return { code, node_id: nodeId, message };
}
