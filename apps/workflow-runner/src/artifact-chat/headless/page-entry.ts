import { fileURLToPath } from 'node:url';

/** The compiled program that opens pages. Apart, because tests (CommonJS) cannot load `import.meta`. */
export const PAGE_ENTRY = fileURLToPath(new URL('./child/main.js', import.meta.url));
