import { hostileArchives } from './archives.js';
import { brokenBytes } from './broken-bytes.js';
import type { HostileFile } from './hostile-file.js';
import { hostileImages } from './images.js';
import { hostileMarkup } from './markup.js';
import { hostileNewKinds } from './new-kinds.js';
import { hostilePdfs } from './pdfs.js';
import { hostileTexts } from './texts.js';

export type { HostileFile } from './hostile-file.js';

/** Several hundred files that are broken, lie, or want to cost too much; the same ones on every run. */
export function hostileFiles(): HostileFile[] {
  return [
    ...brokenBytes(),
    ...hostileArchives(),
    ...hostileMarkup(),
    ...hostilePdfs(),
    ...hostileImages(),
    ...hostileTexts(),
    ...hostileNewKinds(),
  ];
}
