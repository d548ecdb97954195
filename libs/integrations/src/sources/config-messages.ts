import type { z } from 'zod';

/** What is wrong with a field of a configuration, in the wording of all other fields; the schemas' own messages come first. */
export function configMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required.';
      if (issue.input === null) return 'This field may not be null.';
      return WRONG_TYPE[issue.expected];
    case 'too_small':
      if (issue.origin === 'string') return 'This field may not be blank.';
      return `Ensure this value is greater than or equal to ${issue.minimum}.`;
    case 'too_big':
      if (issue.origin === 'string') return `Ensure this field has no more than ${issue.maximum} characters.`;
      if (issue.origin === 'array') return `Ensure this field has no more than ${issue.maximum} elements.`;
      return `Ensure this value is less than or equal to ${issue.maximum}.`;
    case 'invalid_format':
      return issue.format === 'url' ? 'Enter a valid URL.' : undefined;
    case 'invalid_value':
      return `${JSON.stringify(issue.input)} is not a valid choice.`;
    case 'unrecognized_keys':
      return `There is no field called ${issue.keys.join(', ')}.`;
    default:
      return undefined;
  }
}

const WRONG_TYPE: Partial<Record<string, string>> = {
  string: 'Not a valid string.',
  int: 'A valid integer is required.',
  number: 'A valid integer is required.',
  array: 'Expected a list of items.',
  object: 'Expected a dictionary of items.',
};
