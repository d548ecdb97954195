export type { Authored } from './authored-results.js';
export { AuthoredSaves, type Author, type SavedBase } from './authored-saves.js';
export type { AuthoringTask } from './authoring-prompts.js';
export type { Authoring } from './authoring-work.js';
export { AuthorsThings } from './authors-things.js';
export { WorkflowAuthor } from './workflow-author.js';
