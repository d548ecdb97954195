import leven from 'leven';

const MAX_NAME_LENGTH = 60;

/** Null where nothing is similar enough to be meant. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const [best] = nearestNames(name, names, 1);
  return best ?? null;
}

/** Those that may be meant, the most similar first. */
export function nearestNames(name: string, names: readonly string[], limit: number): string[] {
  if (name.length > MAX_NAME_LENGTH) return [];
  const plain = plainly(name);
  const farthest = Math.max(plain.length > 3 ? 2 : 1, Math.floor(plain.length / 3));
  return names
    .map((other) => {
      const known = plainly(other);
      const isPart = Math.min(plain.length, known.length) > 2 && (known.includes(plain) || plain.includes(known));
      return { other, distance: Math.min(leven(plain, known), isPart ? 2 : Infinity) };
    })
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ other }) => other);
}

/** The one name that was meant but for a slip: a letter more, less or another, two in the other order; digits are no slips. */
export function nameButForSlip(name: string, names: readonly string[]): string | null {
  const plain = plainly(name);
  if (plain.length < 4) return null;
  const fitting = [...new Set(names)].filter((other) => isSlip(plain, plainly(other)));
  return fitting.length === 1 ? fitting[0]! : null;
}

function isSlip(one: string, other: string): boolean {
  if (one.replaceAll(/\D/g, '') !== other.replaceAll(/\D/g, '')) return false;
  const distance = leven(one, other);
  return distance <= 1 || (distance === 2 && [...one].sort().join('') === [...other].sort().join(''));
}

/** A name without case, spaces and punctuation. */
export function plainly(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
