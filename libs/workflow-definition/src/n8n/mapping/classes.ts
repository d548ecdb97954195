import { cutText } from '@app/common';
import { isObject } from '../json-object.js';
import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { record } from './api-call.js';

/** The classes of a node that sends each text one of several ways. */
function classify(
  node: NodeMapping,
  classes: { name: string; description?: string }[],
  text: unknown,
  more: Record<string, unknown>,
): MappedOutputs | null {
  if (!node.has('classify') || classes.length < 2) return null;
  node.note('It asks the language model of this deployment.');
  if (node.input.type !== 'single') node.note('It runs once, for the first item; n8n runs it for each.');
  const named = classes.map((one) => ({ ...one, next: [] as string[] }));
  const gate = node.add('classify', { text: node.text(text) || '(empty)', classes: named, ...more });
  return {
    shapes: classes.map(() => node.input),
    connect(output, ids) {
      const taken = named[output];
      if (!taken) node.note('What follows when no class fits runs whatever the class is.');
      for (const id of ids) {
        if (!gate.next.includes(id)) gate.next.push(id);
        if (taken && !taken.next.includes(id)) taken.next.push(id);
      }
    },
  };
}

export const textClassifier: Mapper = (node) => {
  const { inputText, categories, options } = node.parameters;
  const list = record(categories).categories;
  const classes = (Array.isArray(list) ? list.filter(isObject) : []).map(({ category, description }, index) => ({
    name: cutText(String(category ?? `Class ${index + 1}`), 200),
    ...(typeof description === 'string' && description !== '' && { description: cutText(description, 2_000) }),
  }));
  const { multiClass, fallback } = record(options);
  return classify(node, classes, inputText, {
    ...(multiClass === true && { multiple: true }),
    ...(fallback === 'other' && { allow_none: true }),
  });
};

export const sentimentAnalysis: Mapper = (node) => {
  const { inputText, options } = node.parameters;
  const { categories } = record(options);
  const named =
    typeof categories === 'string' && !categories.startsWith('=')
      ? categories.split(',')
      : ['Positive', 'Neutral', 'Negative'];
  return classify(
    node,
    named.map((name) => ({ name: name.trim() })),
    inputText,
    {},
  );
};
