/** Fields in which outputs of common kinds hold what they have to say. */
const TEXT_FIELDS = ['text', 'answer', 'message', 'result', 'value'];

/** A run's result as text for people; other values as JSON. */
export function resultText(result: unknown): string {
  if (result === null || result === undefined) return '';
  if (typeof result !== 'object') return String(result);
  for (const field of TEXT_FIELDS) {
    const value = Object.hasOwn(result, field) ? (result as Record<string, unknown>)[field] : undefined;
    if (typeof value === 'string') return value;
  }
  return JSON.stringify(result);
}
