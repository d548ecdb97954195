import { z } from 'zod';

/** Of one mail, copies included. */
export const MAX_RECIPIENTS = 20;

/** One address, several with commas or semicolons between them, or a list of them; each address once. */
export function addressList({ required }: { required: boolean }) {
  const addresses = z
    .array(z.email('Enter a valid e-mail address.').max(254))
    .min(required ? 1 : 0, 'Enter at least one address.')
    .max(MAX_RECIPIENTS);
  const written = z.union([z.string().max(10_000), z.array(z.string().max(300)).max(MAX_RECIPIENTS), z.null()]);
  return required ? written.transform(split).pipe(addresses) : written.default([]).transform(split).pipe(addresses);
}

function split(value: string | string[] | null): string[] {
  const texts = value === null ? [] : Array.isArray(value) ? value : [value];
  const addresses = texts
    .flatMap((text) => text.split(/[,;]/))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const byKey = new Map(addresses.map((address) => [address.toLowerCase(), address]));
  return [...byKey.values()];
}
