import { EgressError } from '@app/integrations';

/**
 * Metadata from the first of several places that has them. What answers everything with some JSON has them nowhere, and
 * must not hide the place that does.
 * @param read null: they are not there
 * @returns null where no place has any
 * @throws EgressError of the first that had unusable ones, when none has others; whatever else `read` throws at once
 */
export async function firstUsable<T>(
  places: readonly string[],
  read: (place: string) => Promise<T | null>,
): Promise<T | null> {
  let unusable: EgressError | null = null;
  for (const place of places)
    try {
      const found = await read(place);
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof UnusableMetadataError)) throw error;
      unusable ??= error;
    }
  if (unusable) throw unusable;
  return null;
}

/** They are there, and say what cannot be worked with. */
export class UnusableMetadataError extends EgressError {
  constructor(message: string) {
    super('protocol', message);
  }
}
