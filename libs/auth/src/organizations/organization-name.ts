import { ValidationError } from '@app/common';

export const LONGEST_ORGANIZATION_NAME = 100;

/**
 * What leads somewhere, spans lines or reads otherwise than it is written: names stand in mails to whoever is invited.
 * Mail programs make links of hosts with a path, a port or a query, too; companies are called like hosts alone.
 */
const MISLEADING = /:\/\/|www\.|[^\s.]{3}\.\p{L}{2,}(?:[/?#]|:\d)|[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/iu;

/** @throws ValidationError under the name of the field */
export function requireHonest(name: string, field = 'name'): void {
  if (MISLEADING.test(name))
    throw new ValidationError({ [field]: ['A name is one line, without web addresses and control characters.'] });
}
