import {
  collaboratorsPart,
  requestsPart,
  revisionsPart,
  secretsPart,
  tagsPart,
  webhooksPart,
} from './definition-parts.js';
import { invitationsPart } from './invitations-part.js';
import { outputsPart, runHistoryPart, storedOutputsPart, writtenFilesPart } from './run-parts.js';
import { sharedAppsPart, transfersPart } from './shared-apps-part.js';
import { schedulesPart } from './schedules-part.js';
import type { WorkflowPart } from './workflow-part.js';

/** The parts of this library; one line each. */
const ownParts: readonly WorkflowPart[] = [
  outputsPart,
  storedOutputsPart,
  writtenFilesPart,
  runHistoryPart,
  requestsPart,
  revisionsPart,
  webhooksPart,
  collaboratorsPart,
  invitationsPart,
  sharedAppsPart,
  transfersPart,
  tagsPart,
  secretsPart,
  schedulesPart,
];

/** All that hangs on workflows: what this lib keeps for them, and what others do, the same in every app that deletes. */
export class WorkflowParts {
  private readonly parts: WorkflowPart[] = [...ownParts];

  /** @param others of libs that know nothing of this one */
  constructor(others: readonly WorkflowPart[] = []) {
    for (const part of others) this.register(part);
  }

  /** Domains above register in `onModuleInit`. @throws Error for a name that is taken: the process does not start */
  register(part: WorkflowPart): void {
    if (this.parts.some(({ name }) => name === part.name)) throw new Error(`${part.name} is registered twice.`);
    this.parts.push(part);
  }

  /** In the order in which they are removed. */
  list(): readonly WorkflowPart[] {
    return this.parts.toSorted((a, b) => (a.order ?? 50) - (b.order ?? 50));
  }
}
