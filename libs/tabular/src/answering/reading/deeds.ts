const OF_TIMES = new Set(
  'date day time timestamp at on of in datum tag zeit fecha dia hora data ora jour heure le am dag tijd op'.split(' '),
);
const SHORTEST_STEM = 4;
const LONGEST_ENDING = 6;

/** What comes to an end is closed, resolved or completed, as each has its own word. */
const ENDED =
  /^(?:clos(?:e|ed|es|ing|ure)|(?:re)?sol(?:ve|ved|ves|ving|ution)|fix(?:ed|es|ing)?|complet(?:e|ed|es|ing|ion)|finish(?:ed|es|ing)?|ended)$/;

/** "Resolution" of `Closed at`, where no other end is called so. */
export function isSameEnd(word: string, part: string): boolean {
  return ENDED.test(word) && ENDED.test(part);
}

/** "Delivery" of `delivered_on`, "resolution" of `Resolved`, "ship" of `Ship Date`. */
export function isSameDeed(word: string, part: string): boolean {
  if (OF_TIMES.has(word) || OF_TIMES.has(part)) return false;
  if (/^pa(?:y|id|yment)$/.test(word) && /^pa(?:y|id|yment)$/.test(part)) return true;
  let same = 0;
  while (same < word.length && word[same] === part[same]) same++;
  const isWhole = same === word.length || same === part.length;
  return same >= (isWhole ? 3 : SHORTEST_STEM) && Math.max(word.length, part.length) - same <= LONGEST_ENDING;
}
