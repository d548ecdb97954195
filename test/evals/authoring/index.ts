import type { AuthoringEval } from './authoring-task.js';
import { editTasks } from './edit-tasks.js';
import { newTasks } from './new-tasks.js';

export type { AuthoringEval } from './authoring-task.js';
export { repair } from './repairer.js';
export { HOSTILE_NAME } from './world.js';

/** 30 new workflows and 50 changes: real requests, plausible answers of models with the mistakes that they make. */
export const authoringTasks: readonly AuthoringEval[] = [...newTasks, ...editTasks];
