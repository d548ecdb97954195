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
  private readonly parts: readonly WorkflowPart[];

  /**
   * @param others of other libs
   * @throws Error for a name that is taken: the process does not start
   */
  constructor(others: readonly WorkflowPart[] = []) {
    this.parts = [...ownParts, ...others];
    const names = this.parts.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`${twice} is registered twice.`);
  }

  /** In the order in which they are removed. */
  list(): readonly WorkflowPart[] {
    return this.parts.toSorted((a, b) => (a.order ?? 50) - (b.order ?? 50));
  }
}
