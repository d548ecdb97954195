/** Longer ones first. */
const PARTICLES =
  `에서부터 으로부터 에서는 에게서 이라고 으로는 까지는 부터는 에서 에게 으로 까지 부터 보다 처럼 마다 이나 라고 께서 은 는 이 가 을 를 의 에 로 와 과 도 만`.split(
    ' ',
  );
const SHORTEST = 2;

/** A word without the particle that says its part in the sentence: `월세는` and `월세가` are `월세`. */
export function stemKorean(word: string): string {
  const particle = PARTICLES.find((each) => word.endsWith(each) && word.length >= each.length + SHORTEST);
  return particle ? word.slice(0, -particle.length) : word;
}
