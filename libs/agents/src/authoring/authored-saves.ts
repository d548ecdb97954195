import {
  type AuthoredDraft,
  type AuthoringEvent,
  type AuthoringResult,
  RevisionCache,
  StaleRevisionError,
  WorkflowEditor,
} from '@app/workflows';
import { Injectable } from '@nestjs/common';
import type { Authored } from './authored-results.js';

/** So often a change is applied to what somebody saved meanwhile. */
const MAX_REBASES = 3;

export interface Author {
  userId: number;
  username: string;
}

export interface SavedBase {
  /** Whether the change may be applied to a newer revision: its base is the saved one, and the caller named none. */
  mayRebase: boolean;
  /** For a definition without a name. */
  name: string;
}

interface Written extends SavedBase {
  authored: Authored;
  draft: AuthoredDraft | null;
  emit(event: AuthoringEvent): Promise<void>;
}

/** Saves what was written, where that was asked for. */
@Injectable()
export class AuthoredSaves {
  constructor(
    private readonly editor: WorkflowEditor,
    private readonly revisions: RevisionCache,
  ) {}

  /**
   * @returns what of the result only the save knows
   * @throws StaleRevisionError when somebody saved meanwhile, and the change cannot be applied to that.
   */
  async save(
    user: Author,
    { workflowId, contentRevision, save }: { workflowId: string | null; contentRevision: number | null; save: boolean },
    written: Written,
  ): Promise<Pick<AuthoringResult, 'workflow_id' | 'content_revision'> & Partial<AuthoringResult>> {
    const { authored, emit, mayRebase } = written;
    const isWritten = authored.status === 'completed' && authored.route !== 'explain' && authored.json_spec !== null;
    if (!save || !isWritten) return { workflow_id: workflowId, content_revision: contentRevision };
    await emit({ event: 'progress', data: { stage: 'saving', text: 'Saving the workflow', percent: 95 } });
    let spec = authored.json_spec!;
    if (!workflowId) {
      const id = await this.editor.create(user.userId, spec, { summary: authored.summary });
      return { workflow_id: id, content_revision: 1 };
    }
    let changed: Partial<AuthoringResult> = {};
    let expected = contentRevision;
    for (let rebases = 0; ; rebases += 1) {
      try {
        const saved = await this.editor.save(user, workflowId, {
          name: typeof spec.name === 'string' && spec.name !== '' ? spec.name : written.name,
          jsonSpec: spec,
          ...(expected !== null && { expectedContentRevision: expected }),
        });
        return { ...changed, workflow_id: workflowId, content_revision: saved.contentRevision };
      } catch (error) {
        if (!(error instanceof StaleRevisionError) || !mayRebase || rebases === MAX_REBASES) throw error;
        expected = error.current.contentRevision;
        const rebased = await this.rebase(workflowId, expected, written);
        // Both changed the same: whoever asked has to see what is there now.
        if (!rebased) throw error;
        spec = rebased.json_spec;
        changed = rebased;
      }
    }
  }

  private async rebase(workflowId: string, newer: number, { draft, emit }: Written) {
    const revision = await this.revisions.get(workflowId, newer);
    const rebased = await draft?.rebase(revision.jsonSpec);
    if (!rebased) return null;
    const text = `Somebody saved revision ${newer} meanwhile: the change was applied to it.`;
    await emit({ event: 'progress', data: { stage: 'saving', text, percent: 96 } });
    const told = { code: 'applied_to_newer', node_id: null, message: text };
    return { json_spec: rebased.spec, warnings: [told, ...rebased.warnings] };
  }
}
