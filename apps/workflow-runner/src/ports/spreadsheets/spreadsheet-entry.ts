import { fileURLToPath } from 'node:url';

/** The compiled program of the reading process. Apart, because tests (CommonJS) cannot load `import.meta`. */
export const SPREADSHEET_ENTRY = fileURLToPath(new URL('./child/main.js', import.meta.url));
