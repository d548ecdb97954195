import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

export const manualTriggerTool = defineKind({
  kind: 'manual_trigger',
  version: '1.0.0',
  title: 'Start',
  description: 'Starts the workflow by hand, and hands on its inputs.',
  category: categories.triggers,
  icon: 'play',
  isEntry: true,
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    inputs: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Inputs',
      description: 'Values that later nodes refer to by name.',
    }),
  }),
  output: z.looseObject({ payload: z.record(z.string(), z.unknown()) }),
  run: ({ inputs }, { payload }) => ({ output: { ...inputs, payload: payload ?? {} } }),
});
