import { z } from 'zod';
import { param } from '@app/workflow-definition/kit';

export const delimiterParam = param(z.enum([',', ';', '\t', '|']).default(','), {
  label: 'Delimiter',
  description: 'What separates the values.',
  options: [
    { value: ',', label: 'Comma' },
    { value: ';', label: 'Semicolon' },
    { value: '\t', label: 'Tab' },
    { value: '|', label: 'Bar' },
  ],
});
