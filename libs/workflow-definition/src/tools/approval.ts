import { createHash } from 'node:crypto';
import { cutLine } from '@app/common';

/** What a person has to agree to before an agent of theirs uses a tool. */
export interface ToolApproval {
  /** What a remembered consent covers: the tool and where its effect lands, never the tool alone. */
  key: string;
  /** What would happen, in one line for people. */
  summary: string;
}

/** What the person has said themselves. */
export interface PersonsWords {
  /** Whether they named the host. */
  names(host: string): boolean;
  /** Whether the whole address is theirs. */
  owns(url: URL): boolean;
}

/**
 * What a kind declares in `defineKind`: `never` for one that asks nothing of anybody outside, or what is to be agreed to
 * before a use (null: nothing). A kind that has effects and declares nothing is asked about before each use.
 */
export type ApprovalDeclaration =
  | 'never'
  | ((input: Record<string, unknown>, words: PersonsWords) => ToolApproval | null);

/** The same tool, and the same place where its effect lands. */
export function toolApproval(tool: string, target: string, summary: string): ToolApproval {
  const place = target.length > 150 ? createHash('sha256').update(target).digest('hex') : target;
  return { key: `${tool}:${place}`, summary: cutLine(summary, 500) };
}
