import type { ToolContext } from '@app/workflow-definition';

const EVERY_MS = 400;
/** Whoever watches sees the end of a long answer. */
const SHOWN_CHARACTERS = 2_000;

/** Shows watchers a text that grows, a few times a second. */
export function showing({ progress, text: stream }: Pick<ToolContext, 'progress' | 'text'>): (text: string) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    stream?.(text);
    const now = performance.now();
    if (now - shownAt < EVERY_MS) return;
    shownAt = now;
    progress(text.length > SHOWN_CHARACTERS ? `…${text.slice(-SHOWN_CHARACTERS)}` : text);
  };
}
