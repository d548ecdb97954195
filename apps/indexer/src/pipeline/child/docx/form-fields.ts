import { childOf, childrenOf, type MarkupElement } from '../markup/element.js';

/** What a box to tick or a list to choose from shows, which its field alone says. @param field `w:fldChar` */
export function formFieldText(field: MarkupElement): string {
  const data = childOf(field, 'w:ffData');
  const box = childOf(data, 'w:checkBox');
  if (box) return isOn(childOf(box, 'w:checked') ?? childOf(box, 'w:default')) ? '☒' : '☐';
  const list = childOf(data, 'w:ddList');
  const chosen = childOf(list, 'w:result') ?? childOf(list, 'w:default');
  return childrenOf(list, 'w:listEntry')[Number(chosen?.attributes['w:val'] ?? 0)]?.attributes['w:val'] ?? '';
}

function isOn(setting: MarkupElement | undefined): boolean {
  return setting !== undefined && !/^(?:0|false|off)$/.test(setting.attributes['w:val'] ?? '');
}
