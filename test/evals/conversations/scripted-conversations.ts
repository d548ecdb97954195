/**
 * Conversations of six turns in which a later turn needs what an earlier one brought: data for whoever plays them to the
 * platform with a scripted model, or puts the same questions to a real one.
 */
export interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface ScriptedTurn {
  say: string;
  /** Names of `filesOf` that come with it. */
  attach?: string[];
  /** What the model calls, step by step. */
  steps?: ScriptedCall[][];
  /** `{cite:<file>}` is the number that a result of the turn gives the file, `{copy:<file>}` that of an earlier answer. */
  answer: string;
  /** What the first prompt of the turn has to hold. */
  needs?: string[];
  /** The files that the answer has to be shown with. */
  sources?: string[];
  /** What the user chooses where they are asked. */
  choose?: 'once' | 'deny';
}

export interface ScriptedConversation {
  name: string;
  turns: ScriptedTurn[];
}

export interface ScriptedFile {
  name: string;
  text: string;
}

const BIRDS = ['heron', 'plover', 'siskin', 'wagtail', 'dunlin', 'redstart', 'fieldfare', 'goldcrest'];
const TOWNS = ['Bern', 'Chur', 'Thun', 'Olten', 'Sion', 'Arbon', 'Baden', 'Wil'];
const VARIANTS = BIRDS.length;

const code = (text: string): ScriptedCall => ({ name: 'code', arguments: { code: text } });
const search = (query: string): ScriptedCall => ({ name: 'semantic_search', arguments: { query } });
const pump = (variant: number): ScriptedFile => ({
  name: `pump-${BIRDS[variant]}.txt`,
  text: `The pump ${BIRDS[variant]} runs at ${210 + variant} bar. Its seal is of ${BIRDS[variant]}rubber.`,
});
const valve = (variant: number): ScriptedFile => ({
  name: `valve-${BIRDS[variant]}.txt`,
  text: `The valve ${BIRDS[variant]} closes within ${40 + variant} milliseconds. Its code word is ${BIRDS[variant]}lock.`,
});

/** The documents that the conversations of a variant speak of. */
export function filesOf(variant: number): ScriptedFile[] {
  return [pump(variant), valve(variant)];
}

/** The order's dock is in a result of a tool, and in no answer; a mail is declined. */
function factsInResults(variant: number): ScriptedConversation {
  const bird = BIRDS[variant]!;
  const order = `{ order: 'K-${4_700 + variant}', customer: '${TOWNS[variant]} Ltd', total: ${900 + variant}, dock: '${bird}-gate-${variant}' }`;
  const mail = { to: `${bird}@people.example`, subject: 'Order', text: 'It is on its way.' };
  return {
    name: `facts in results, ${bird}`,
    turns: [
      {
        say: `Look up order K-${4_700 + variant}.`,
        steps: [[code(`return ${order};`)]],
        answer: `It is for ${TOWNS[variant]} Ltd.`,
      },
      { say: 'Thank you. Is that a large order?', answer: 'Rather a small one.', needs: [`"total":${900 + variant}`] },
      { say: 'What is six times seven?', steps: [[code('return 6 * 7;')]], answer: 'It is 42.' },
      { say: 'Which dock does the order go to?', answer: 'See the order.', needs: [`${bird}-gate-${variant}`] },
      {
        say: `Mail ${mail.to} that it is on its way.`,
        steps: [[{ name: 'send_email', arguments: mail }]],
        choose: 'deny',
        answer: 'I did not send it.',
        needs: [`${bird}-gate-${variant}`],
      },
      {
        say: 'Was the mail sent, and which dock was it?',
        answer: 'It was not sent.',
        needs: ['The user does not allow this call.', `${bird}-gate-${variant}`],
      },
    ],
  };
}

function attachments(variant: number): ScriptedConversation {
  const [first, second] = filesOf(variant) as [ScriptedFile, ScriptedFile];
  return {
    name: `attachments, ${BIRDS[variant]}`,
    turns: [
      { say: 'Summarise the first file.', attach: [first.name, second.name], answer: 'It is about a pump.' },
      { say: 'How old are pumps in general?', answer: 'Very old.' },
      { say: 'And valves?', answer: 'Old as well.' },
      { say: 'What is three times three?', steps: [[code('return 3 * 3;')]], answer: 'It is 9.' },
      { say: 'Summarise the second file again.', answer: 'It is about a valve.', needs: [`${BIRDS[variant]}lock`] },
      { say: 'Which files did I give you?', answer: 'Two of them.', needs: [first.name, second.name] },
    ],
  };
}

function tables(variant: number): ScriptedConversation {
  const rows = `return Array.from({ length: 30 }, (_, at) => ({ item: 'P' + at, stock: at * 7 + ${variant} }));`;
  return {
    name: `an earlier table, ${BIRDS[variant]}`,
    turns: [
      { say: 'List the stock of all items.', steps: [[code(rows)]], answer: 'There are 30 items.' },
      { say: 'Good. How is the weather?', answer: 'I cannot know.' },
      { say: 'Then tell me a joke.', answer: 'A heron walks into a bar.' },
      { say: 'Another one.', answer: 'A plover walks into a bar.' },
      { say: 'One more.', answer: 'A dunlin walks into a bar.' },
      {
        say: 'What was the stock of P27?',
        answer: `It was ${27 * 7 + variant}.`,
        needs: [`{"item":"P27","stock":${27 * 7 + variant}}`],
      },
    ],
  };
}

function corrections(variant: number): ScriptedConversation {
  const town = TOWNS[variant]!;
  return {
    name: `a correction, ${town}`,
    turns: [
      { say: 'Plan a trip to Basel for two people.', answer: 'A day in Basel for two.' },
      { say: `No: to ${town}, and for ${variant + 3} people.`, answer: 'Changed.' },
      { say: 'What should one eat there?', answer: 'Cheese.', needs: [`to ${town}`] },
      { say: 'And drink?', answer: 'Water.' },
      { say: 'What is 12 times 12?', steps: [[code('return 12 * 12;')]], answer: 'It is 144.' },
      {
        say: 'Where do we go, and how many are we?',
        answer: `To ${town}.`,
        needs: [`No: to ${town}, and for ${variant + 3} people.`],
      },
    ],
  };
}

function citations(variant: number): ScriptedConversation {
  const [first, second] = filesOf(variant) as [ScriptedFile, ScriptedFile];
  const bird = BIRDS[variant]!;
  return {
    name: `citations, ${bird}`,
    turns: [
      {
        say: `At how many bar does the pump ${bird} run?`,
        steps: [[search(`pump ${bird} bar`)]],
        answer: `At ${210 + variant} bar {cite:${first.name}}.`,
        sources: [first.name],
      },
      {
        say: `How fast does the valve ${bird} close?`,
        steps: [[search(`valve ${bird} closes milliseconds`)]],
        answer: `In ${40 + variant} ms {cite:${second.name}}.`,
        needs: [`${210 + variant} bar`],
        sources: [second.name],
      },
      { say: 'Say again how the pump runs.', answer: `As I said {copy:${first.name}}.`, sources: [first.name] },
      {
        say: `What is the seal of the pump ${bird} made of?`,
        steps: [[search(`pump ${bird} bar`)]],
        answer: `Of rubber {cite:${first.name}}.`,
        sources: [first.name],
      },
      {
        say: 'Give me both in one sentence.',
        answer: `A pump {copy:${first.name}} and a valve {copy:${second.name}}.`,
        needs: [`${bird}lock`, `${bird}rubber`],
        sources: [first.name, second.name],
      },
      { say: 'Thank you.', answer: 'You are welcome.', sources: [] },
    ],
  };
}

/** @param variants eight of them are all there are. @returns five conversations of each */
export function scriptedConversations(variants = VARIANTS): ScriptedConversation[] {
  const kinds = [factsInResults, attachments, tables, corrections, citations];
  return Array.from({ length: variants }, (_, variant) => kinds.map((kind) => kind(variant))).flat();
}
