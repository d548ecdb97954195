import { Module } from '@nestjs/common';
import { ModelTests } from './model-tests.js';
import { RegisteredModels } from './registered-models.js';

/** Registering models, and testing them. Beside `ModelsModule`; needs `AuditModule`. */
@Module({ providers: [RegisteredModels, ModelTests], exports: [RegisteredModels, ModelTests] })
export class RegisteredModelsModule {}
