import { lookUp, type LookUpAnswer, type LookUpTask, measureJson } from '@app/workflow-definition/kit';
import { readScope } from './held-values.js';

/** What references come to, for a node that another process does. */
export async function lookUpReferences({ references, maxWeight, ...held }: LookUpTask): Promise<LookUpAnswer> {
  const scope = await readScope(held, () => undefined);
  const found = references.flatMap((reference): [string, unknown][] => {
    const value = lookUp(reference, scope);
    return value === undefined ? [] : [[reference.text, value]];
  });
  const values = Object.fromEntries(found);
  const size = measureJson(values, maxWeight);
  if (!size || size.bytes > maxWeight || size.weight > maxWeight) return { failed: 'too_large' };
  return { text: JSON.stringify(values), size };
}
