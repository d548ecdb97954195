import { NO_NAME, NO_SUCH_TOOL, type ToolCall } from '@app/integrations';

/** The problem of a call whose arguments are longer than the model may write in one step. */
export const CUT_ARGUMENTS =
  'The arguments were cut off, because they are longer than you can write in one step: nothing was done. Write it in parts, each at most half as long: a file with file_writer and if_exists "append", one part after the other.';

/** After a step that was used up before it said or called anything. */
export const CUT_BEFORE =
  'Your last step was cut off at its length before it came to an answer or a whole call. Answer or call now, in short; write what is long in parts.';

/** Of calls of a step that was cut short, the one that was being written says so. */
export function markCut(calls: readonly ToolCall[]): ToolCall[] {
  return calls.map((call, at) =>
    at === calls.length - 1 && call.problem !== undefined && ![NO_SUCH_TOOL, NO_NAME].includes(call.problem)
      ? { ...call, problem: CUT_ARGUMENTS }
      : call,
  );
}
