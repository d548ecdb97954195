const OF_TIMES = new Set(
  'date day time timestamp at on of in datum tag zeit fecha dia hora data ora jour heure le am dag tijd op'.split(' '),
);
const SHORTEST_STEM = 4;
const LONGEST_ENDING = 6;

/** "Delivery" of `delivered_on`, "resolution" of `Resolved`, "ship" of `Ship Date`. */
export function isSameDeed(word: string, part: string): boolean {
  if (OF_TIMES.has(word) || OF_TIMES.has(part)) return false;
  if (/^pa(?:y|id|yment)$/.test(word) && /^pa(?:y|id|yment)$/.test(part)) return true;
  let same = 0;
  while (same < word.length && word[same] === part[same]) same++;
  const isWhole = same === word.length || same === part.length;
  return same >= (isWhole ? 3 : SHORTEST_STEM) && Math.max(word.length, part.length) - same <= LONGEST_ENDING;
}
