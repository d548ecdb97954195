import { holdsSecret, memoryKey, toCues, toMemoryText } from './memory-text.js';
import { gistOf, memoryTerms } from './memory-terms.js';
import { cosineOf, toVectorBytes } from './memory-vectors.js';
import { othersWithRoom } from './other-memories.js';
import { byWeight, memoriesToJudge, nearestMemories, recalledMemories } from './rank-memories.js';

const asking = (question: string) => ({ question, meaning: 0.5 });
const memory = (kind: string, text: string, { cues = '', cosine = null as number | null } = {}) => ({
  kind,
  text,
  confidence: 1,
  terms: memoryTerms({ text, cues }),
  cosine,
  heard: {} as Record<string, string>,
});

describe('recalledMemories', () => {
  const memories = [
    memory('fact', 'The user works in Amman.'),
    memory('project', 'The user prepares the Orion launch in March.'),
    memory('person', 'The user reports to Layla.'),
    memory('preference', 'The user likes short answers.'),
    memory('instruction', 'Answers shall name prices in dinars.'),
  ];
  const recall = (question: string, of: readonly ReturnType<typeof memory>[]) => recalledMemories(asking(question), of);

  it('finds those that are about the question, and those that always count', () => {
    expect(recall('When is the launch of Orion?', memories)).toEqual([memories[1], memories[3], memories[4]]);
    expect(recall('Who is Layla?', memories)[0]).toBe(memories[2]);
  });

  it('knows a word in another form, in Arabic as well', () => {
    const arabic = [memory('fact', 'يعمل المستخدم مديرا للمبيعات.'), memory('fact', 'The user has two dogs.')];
    expect(recall('كم بلغت مبيعات الشهر؟', arabic)).toEqual([arabic[0]]);
    expect(recall('What do dogs eat?', arabic)).toEqual([arabic[1]]);
  });

  it('finds by what a memory is needed for, and by meaning where there are vectors', () => {
    const diet = memory('fact', 'The user is vegetarian.', { cues: 'dinner, restaurant' });
    expect(recall('What shall I cook for dinner?', [memories[0]!, diet])).toEqual([diet]);
    const near = memory('fact', 'The user is vegetarian.', { cosine: 0.6 });
    const far = Array.from({ length: 20 }, (_, at) =>
      memory('fact', `The user owns boat ${at}.`, { cosine: 0.3 + (at % 3) / 100 }),
    );
    expect(recall('What shall I cook tonight?', [...far, near])[0]).toBe(near);
    // Some have none yet.
    expect(recall('Which boat is number 7?', [...far, memory('fact', 'The user sold boat 77.')])[0]).toBe(far[7]);
  });

  it('finds compounds by their words', () => {
    const heating = memory('fact', 'Der Nutzer heizt mit Strom.');
    expect(recall('Warum ist meine Stromrechnung so hoch?', [...memories.slice(0, 3), heating])).toEqual([heating]);
    const rent = memory('fact', 'Der Nutzer zahlt jeden Monat 900 Euro für die Wohnungsmiete.');
    expect(recall('Wie hoch ist die Miete?', [...memories.slice(0, 3), heating, rent])).toEqual([rent]);
  });

  it('names eight that fit at most, and none for nothing', () => {
    const many = Array.from({ length: 30 }, (_, at) => memory('fact', `The user owns boat ${at}.`));
    expect(recall('Which boat?', many)).toHaveLength(8);
    expect(recall('Which boat?', [...many, ...memories])).toHaveLength(10);
    expect(recall('Which boat?', [])).toEqual([]);
  });

  it('knows words in another form in the language of the memory, and leaves out what stands in every question', () => {
    const houses = memory('fact', 'Der Nutzer besitzt zwei Häuser in Halle.');
    const other = memory('fact', 'Der Nutzer kann mit dem Boot auf die Insel.');
    expect(recall('Was muss ich mit dem Haus machen, wenn ich auf Reisen bin?', [houses, other])).toEqual([houses]);
    const papers = memory('fact', "L'utilisateur travaille avec des journaux régionaux à Lyon.");
    expect(recall('Quel journal dois-je lire ?', [houses, papers])).toEqual([papers]);
  });

  it('tells as many others as there is room for, once, and none that strangers may have written', () => {
    const shown = [memories[0]!];
    const room = (tokens: number, before = '') =>
      othersWithRoom(shown, byWeight(memories), { tokens, before }).map((each) => memories.indexOf(each));
    expect(room(1_000)).toEqual([3, 4, 1, 2]);
    expect(room(1_000, 'Before.\n- (person) The user reports to Layla.\n')).toEqual([3, 4, 1]);
    expect(room(30)).toEqual([3]);
    expect(room(0)).toEqual([]);
    const strange = { ...memory('fact', 'The user has a boat.'), heard: { documents: 'documents and tables' } };
    expect(othersWithRoom([], [strange, memories[1]!], { tokens: 1_000, before: '' })).toEqual([memories[1]]);
  });

  it('shows a judge what is nearest among all, then the newest', () => {
    const many = Array.from({ length: 100 }, (_, at) => memory('fact', `The user owns boat ${at}.`));
    const old = memory('fact', 'The user lives in Amman.');
    expect(nearestMemories(asking('I moved away from Amman'), [...many, old], 3)).toEqual([old, many[0], many[1]]);
  });

  it('shows a judge some that need cues, however far they are', () => {
    const cued = Array.from({ length: 100 }, (_, at) => ({
      ...memory('fact', `The user owns boat ${at}.`),
      cues: 'sea',
    }));
    const bare = Array.from({ length: 20 }, (_, at) => ({ ...memory('fact', `The user met ${at}.`), cues: '' }));
    const shown = memoriesToJudge(asking('A boat'), [...cued, ...bare]);
    expect(shown.filter(({ cues }) => cues === '')).toEqual(bare.slice(0, 10));
    expect(shown).toHaveLength(50);
    expect(memoriesToJudge(asking('A boat'), cued)).toHaveLength(50);
  });
});

describe('vectors of memories', () => {
  it('keep the order of cosines in a byte per dimension', () => {
    const vector = Float32Array.from([0.8, -0.6, 0, 0.001]);
    expect(cosineOf(vector, toVectorBytes(vector))).toBeCloseTo(1, 3);
    expect(cosineOf(Float32Array.from([0.6, 0.8, 0, 0]), toVectorBytes(vector))).toBeCloseTo(0, 2);
    expect(cosineOf(vector, toVectorBytes(Float32Array.from([1, 0])))).toBeNull();
    expect(cosineOf(vector, toVectorBytes(new Float32Array(4)))).toBeNull();
  });
});

it.each([
  ['The user lives in Amman.', 'the user lives in AMMAN', true],
  ['The user has a dog.', 'User has the dogs', true],
  ['Der Nutzer mag Tee', 'Der Nutzer mag den Tee.', true],
  ['The user has 2 dogs.', 'The user has 3 dogs.', false],
  ['The user is vegetarian.', 'The user is not vegetarian.', false],
  ['Layla reports to Omar.', 'Omar reports to Layla.', false],
])('tells whether %j and %j say the same without a model', (one, other, same) => {
  expect(gistOf(one) === gistOf(other)).toBe(same);
});

it('keeps a few short cues, and no secrets among them', () => {
  expect(toCues(['dinner', ' ', 'my password is x', 'a'.repeat(99)])).toBe(`dinner, ${'a'.repeat(40)}`);
  expect(toCues(Array.from({ length: 30 }, String)).split(', ')).toHaveLength(12);
});

it.each([
  ['My password is hunter2', true],
  ['The API key = abc', true],
  ['كلمة المرور هي ١٢٣', true],
  ['sk-abcdefghijklmnop1234', true],
  ['Card 4111 1111 1111 1111', true],
  ['The user forgot a password once', false],
  ['The user was born in 1984', false],
  ['The office is in room 4111', false],
])('tells a secret from a memory: %s', (text, secret) => {
  expect(holdsSecret(text)).toBe(secret);
});

it('keeps one line, and knows the same again', () => {
  expect(toMemoryText(' a\0b \n c ')).toBe('ab c');
  expect(toMemoryText('x'.repeat(600))).toHaveLength(500);
  expect(memoryKey('The user likes TEA!')).toBe(memoryKey('the user likes tea'));
  expect(memoryKey('أحمد يعمل')).toBe(memoryKey('احمد يعمل.'));
  expect(memoryKey('…!')).toBe('');
});
