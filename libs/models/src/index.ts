export { LanguageModels, type ListedModel } from './language-models.js';
export { ModelsModule } from './models.module.js';
