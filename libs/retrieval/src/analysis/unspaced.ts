import { fold } from '@app/common';

/**
 * Letters of scripts that put no spaces between words, as a class of `v` expressions; with those that they share, such as
 * the mark of long vowels in `サービス`.
 */
export const UNSPACED_LETTER = String.raw`[[\p{L}\p{M}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]`;
const UNSPACED = new RegExp(`^${UNSPACED_LETTER}+$`, 'v');

/** The other letters, digits and marks, as such a class. */
export const SPACED_LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_LETTER}]`;

/** Words by which people ask and join words in these scripts, as their dictionaries part them. */
const JOINING = new Set(
  fold(`的 了 吗 呢 吧 是 在 有 和 与 及 或 几 多 多少 多久 多长 多长时间 多大 什么 什么时候 时候 何时 何地 何人 为何 谁 哪 哪里 哪儿 哪个 哪些 哪 位 怎么 怎样 怎么样
    如何 为什么 是否 能否 可以 可否 请 请问 请告诉 告诉 我 我们 你 你们 您 他 她 它 他们 这 那 这个 那个 这些 那些 其 该 每 个 第 被 把 对 对于 关于 从 到 向 由 以 为 需 需要 应 应该
    会 要 能 就 都 也 还 又 不 没 没有 多少钱 一下 文件 文档 根据
    麼 嗎 甚麼 什麼 什麼時候 時候 何時 誰 哪裡 怎麼 怎樣 為什麼 為何 請 請問 我們 您 這 這個 這些 該 個 對 關於 從 與 會 應 應該 需要 沒有 檔案 文件
    は が を に の で と も か から まで より へ や です ます でし まし た て だ な ね よ し する さ れ れる られ いる ある い う あり ない ん でしょう ください 下さい 教え 教えて
    何 なに なん いつ どこ だれ 誰 どなた いくら いくつ どの どう どれ どんな どちら なぜ どのくらい どのように この その あの これ それ あれ こと もの ため について における によって 文書 ファイル 資料
    คือ เป็น ที่ และ หรือ ใน ของ ใคร อะไร เมื่อไร เมื่อไหร่ ที่ไหน อย่างไร ทำไม เท่าไร เท่าไหร่ กี่ ไหน ไหม หรือไม่ ได้ มี จะ กับ จาก ถึง นี้ นั้น ต้อง ครับ ค่ะ คะ`).split(
    /\s+/,
  ),
);

/** Such words of several words of the dictionaries. */
const JOINING_PHRASES =
  /多长时间|多長時間|什么时间|什麼時間|谁是|誰是|是谁|是誰|是什么|是什麼|谁的|誰的|有多少|有多大/u;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** Whether a word stands in a script without spaces: it may be a whole sentence. */
export const isUnspaced = (word: string): boolean => UNSPACED.test(word);

/**
 * What a run of such letters speaks of, by the dictionaries of ICU: words that stand side by side, without those that only
 * ask and join. `办公室的月租金是多少` has `[[办公, 室], [月, 租金]]`.
 */
export function contentWords(run: string): string[][] {
  const groups: string[][] = [];
  for (const part of run.split(JOINING_PHRASES)) {
    groups.push([]);
    for (const { segment } of segmenter.segment(part))
      if (JOINING.has(fold(segment))) groups.push([]);
      else groups.at(-1)!.push(segment);
  }
  return groups.filter((group) => group.length > 0);
}

/** The same one by one; single letters that stand side by side are a word that no dictionary has: `解约`. */
export function contentWordsOf(run: string): string[] {
  return contentWords(run).flatMap((group) => {
    const words: string[] = [];
    let isOpen = false;
    for (const word of group) {
      const isLetter = [...word].length === 1;
      if (isLetter && isOpen) words.push(`${words.pop()}${word}`);
      else words.push(word);
      isOpen = isLetter;
    }
    return words;
  });
}
