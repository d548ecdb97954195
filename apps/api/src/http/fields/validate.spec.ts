import { parseText, Refusal, ValidationError } from '@app/common';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  EmailField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  NumberField,
  ObjectField,
  StringField,
  UuidField,
} from '../fields.js';
import { Exact } from './field.js';
import { type Encoding, readDto } from './validate.js';

class Point {
  @IntegerField()
  x: number;

  @StringField({ optional: true })
  label?: string;
}

class Everything {
  @StringField({ maxLength: 5 })
  name: string;

  @IntegerField({ min: 1, max: 10, default: 4 })
  count: number;

  @NumberField({ optional: true, nullable: true })
  ratio?: number | null;

  @BooleanField({ optional: true })
  flag?: boolean;

  @EmailField({ optional: true })
  email?: string;

  @UuidField({ optional: true })
  uid?: string;

  @ChoiceField(['and', 'or'], { optional: true })
  mode?: string;

  @DateTimeField({ optional: true })
  at?: Date;

  @ObjectField({ optional: true })
  params?: Record<string, unknown>;

  @ListField(kinds.integer(), { optional: true, maxItems: 3, commaSeparated: true })
  numbers?: number[];

  @NestedField(() => Point, { optional: true, nullable: true })
  point?: Point | null;

  @ListField(() => Point, { optional: true })
  points?: Point[];
}

function errorsOf(body: unknown, encoding: Encoding = 'json'): Record<string, string[]> {
  try {
    readDto(Everything, body, encoding);
  } catch (error) {
    if (error instanceof ValidationError) return error.fields;
    throw error;
  }
  return {};
}

describe('readDto', () => {
  it('converts, fills defaults and drops what it does not know', () => {
    const uid = 'C0FFEE00-0000-4000-8000-000000000001';
    const sent = JSON.parse(
      `{"name":" abc ","flag":"yes","uid":"${uid}","at":"2026-01-02T03:04:05","other":1,"point":{"x":"3","y":1},"__proto__":{"polluted":1}}`,
    ) as unknown;
    const read = readDto(Everything, sent, 'json');
    expect({ ...read, point: { ...read.point } }).toEqual({
      name: 'abc',
      count: 4,
      flag: true,
      uid: uid.toLowerCase(),
      at: new Date('2026-01-02T03:04:05Z'),
      point: { x: 3 },
    });
    expect(read.point).toBeInstanceOf(Point);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(['2026-02-29T00:00:00Z', '2026-04-31 10:00', '2026-13-01T00:00:00Z', '2026-00-10T00:00:00Z'])(
    'refuses %s, a day that there is not',
    (at) => {
      expect(errorsOf({ name: 'abc', at })).toEqual({ at: [expect.stringMatching(/^Datetime has wrong format/)] });
    },
  );

  it.each(['9999-12-31T23:59:00-01:00', '0001-01-01T00:30+01:00', '0000-06-01T00:00:00Z'])(
    'refuses %s, whose year in UTC has no four digits',
    (at) => {
      expect(errorsOf({ name: 'abc', at })).toEqual({ at: ['Enter a time between the years 1 and 9999 (UTC).'] });
    },
  );

  it.each([
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['2028-02-29T23:30:00-01:00', '2028-03-01T00:30:00.000Z'],
    ['2026-12-31t24:00:00z', '2027-01-01T00:00:00.000Z'],
  ])('reads %s', (at, expected) => {
    expect(readDto(Everything, { name: 'abc', at }, 'json').at).toEqual(new Date(expected));
  });

  it('takes null in place of an object where that is said', () => {
    expect(readDto(Everything, { name: 'abc', point: null }, 'json').point).toBeNull();
    expect(errorsOf({ name: 'abc', point: 5 })).toHaveProperty('point');
  });

  it('names every wrong field at once, in the wording of the spec', () => {
    expect(
      errorsOf({
        count: 11,
        ratio: 'x',
        flag: 'perhaps',
        email: 'a@b',
        uid: '12',
        mode: 'xor',
        at: 'today',
        params: 'text',
        numbers: 'text',
        point: [],
        points: [{ x: 1 }, { x: 'a', label: null }],
      }),
    ).toEqual({
      name: ['This field is required.'],
      count: ['Ensure this value is less than or equal to 10.'],
      ratio: ['A valid number is required.'],
      flag: ['Must be a valid boolean.'],
      email: ['Enter a valid email address.'],
      uid: ['Must be a valid UUID.'],
      mode: ['"xor" is not a valid choice.'],
      at: [
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
      ],
      params: ['Expected a dictionary of items but got type "str".'],
      numbers: ['Expected a list of items but got type "str".'],
      point: ['Invalid data. Expected a dictionary, but got list.'],
      'points.1.x': ['A valid integer is required.'],
      'points.1.label': ['This field may not be null.'],
    });
  });

  it.each([
    [{ name: null }, 'This field may not be null.'],
    [{ name: '  ' }, 'This field may not be blank.'],
    [{ name: 'abcdef' }, 'Ensure this field has no more than 5 characters.'],
    [{ name: ['a'] }, 'Not a valid string.'],
    [{ name: true }, 'Not a valid string.'],
    [{ name: 'a\0b' }, 'Null characters are not allowed.'],
    [{ name: '\ud800' }, 'Surrogate characters are not allowed.'],
  ])('refuses %j', (body, message) => {
    expect(errorsOf(body)).toEqual({ name: [message] });
  });

  it.each(['\u0130@mail.example', 'j\u00f6rg@mail.example', 'a b@mail.example', 'a@b@mail.example', '.a@mail.example'])(
    'refuses the address %s',
    (email) => {
      expect(errorsOf({ name: 'a', email })).toEqual({ email: ['Enter a valid email address.'] });
    },
  );

  it.each(["o'hara+tag@mail.example", 'a.b-c_d%e@sub.xn--p1ai'])('takes the address %s', (email) => {
    expect(readDto(Everything, { name: 'a', email }, 'json').email).toBe(email);
  });

  it('counts characters as people do, not the halves of them', () => {
    expect(readDto(Everything, { name: '😀'.repeat(5) }, 'json').name).toBe('😀'.repeat(5));
    for (const name of ['😀'.repeat(6), 'a😀bcde', 'a'.repeat(6)])
      expect(errorsOf({ name })).toEqual({ name: ['Ensure this field has no more than 5 characters.'] });
    const short = parseText({ minLength: 2 });
    expect(short('😀')).toEqual(new Refusal('Ensure this field has at least 2 characters.'));
    expect(short('😀😀')).toBe('😀😀');
  });

  it('looks at no more items of a list than are needed to refuse it', () => {
    let looks = 0;
    const point = Object.defineProperty({}, 'x', { enumerable: true, get: () => (looks += 1) });
    const points = Array.from({ length: 5_000 }, () => point);
    expect(errorsOf({ name: 'a', points })).toEqual({ points: ['Ensure this field has no more than 1000 elements.'] });
    expect(looks).toBeLessThanOrEqual(1_001);
    expect(readDto(Everything, { name: 'a', points: points.slice(0, 1_000) }, 'json').points).toHaveLength(1_000);
  });

  it('refuses what Postgres cannot store deep inside free objects', () => {
    expect(errorsOf({ name: 'a', params: { list: [{ key: 'a\0' }] } })).toEqual({
      params: ['Null characters are not allowed.'],
    });
    expect(errorsOf({ name: 'a', params: { '\ud800': 1 } })).toEqual({
      params: ['Surrogate characters are not allowed.'],
    });
  });

  it('takes keys that mean something to JavaScript as what they are: names', () => {
    const params = JSON.parse('{"constructor":{"prototype":1},"__proto__":{"admin":true},"toString":null}') as object;
    const read = readDto(Everything, { name: 'a', params }, 'json');
    expect(JSON.stringify(read.params)).toBe(JSON.stringify(params));
    expect(errorsOf({ name: params, points: [[params], params] })).toEqual({
      name: ['Not a valid string.'],
      points: ['Invalid data. Expected a dictionary, but got list.'],
    });
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });

  it('refuses integers beyond the range of the column', () => {
    class Plain {
      @IntegerField()
      id: number;
    }
    for (const id of [2_147_483_648, 1.5, '99999999999999999999', true, '1e3', Number.MAX_SAFE_INTEGER + 2])
      expect(() => readDto(Plain, { id }, 'json')).toThrow(ValidationError);
    expect(readDto(Plain, { id: '2147483647' }, 'json').id).toBe(2_147_483_647);
  });

  it.each([
    [[1], 'list'],
    ['x', 'str'],
    [1, 'int'],
    [null, 'NoneType'],
  ])('refuses the body %j', (body, type) => {
    expect(errorsOf(body)).toEqual({ non_field_errors: [`Invalid data. Expected a dictionary, but got ${type}.`] });
  });

  it('takes what is empty in a query for missing, where it may be missing', () => {
    const empty = { name: 'a', count: ' ', email: '', mode: '', flag: '', uid: '', ratio: '' };
    expect({ ...readDto(Everything, empty, 'query') }).toEqual({ name: 'a', count: 4, ratio: null });
    for (const encoding of ['form', 'query'] as const)
      expect(errorsOf({ name: '' }, encoding)).toEqual({ name: ['This field may not be blank.'] });
    // Of a form it may be what somebody cleared.
    expect(errorsOf({ name: 'a', email: '', count: '' }, 'form')).toEqual({
      email: [expect.any(String)],
      count: ['A valid integer is required.'],
    });
  });

  it('reads forms and queries: the last of repeated keys, lists in each spelling, JSON text for objects, empty for null', () => {
    const form = {
      name: ['a', 'b'],
      numbers: ['1', '2'],
      params: '{"a":1}',
      ratio: '',
      flag: '0',
      points: '[{"x":2}]',
    };
    const read = readDto(Everything, form, 'form');
    expect(read).toMatchObject({
      name: 'b',
      numbers: [1, 2],
      params: { a: 1 },
      ratio: null,
      flag: false,
      points: [{ x: 2 }],
    });
    expect(readDto(Everything, { name: 'a', numbers: '1,2' }, 'form').numbers).toEqual([1, 2]);
    expect(readDto(Everything, { name: 'a', 'numbers[]': '7' }, 'form').numbers).toEqual([7]);
    expect(errorsOf({ name: 'a', params: '{"a"' }, 'form')).toHaveProperty('params');
  });
});

describe('an exact DTO', () => {
  @Exact()
  class Caps {
    @IntegerField({ optional: true, min: 1 })
    most?: number;
  }
  class Job {
    @NestedField(() => Caps, { optional: true })
    caps?: Caps;

    @ListField(() => Caps, { maxItems: 2, optional: true })
    more?: Caps[];
  }
  @Exact()
  class Budget extends Job {}
  const refused = (dto: typeof Job | typeof Caps, body: unknown, encoding: Encoding = 'json') => {
    try {
      return readDto<object>(dto, body, encoding);
    } catch (error) {
      if (error instanceof ValidationError) return Object.keys(error.fields);
      throw error;
    }
  };

  it('refuses names that it does not have, wherever it stands, beside all else that is wrong', () => {
    expect(refused(Caps, { mots: 1 })).toEqual(['mots']);
    expect(refused(Caps, { mots: 1, most: 0 })).toEqual(['mots', 'most']);
    expect(refused(Job, { name: 'dropped', caps: { mots: 1 }, more: [{}, { x: 1 }] })).toEqual([
      'caps.mots',
      'more.1.x',
    ]);
    expect(refused(Budget, { cap: {}, caps: { most: 0 } })).toEqual(['cap', 'caps.most']);
    expect(refused(Budget, JSON.parse('{"__proto__":{}}'))).toEqual(['__proto__']);
    expect(refused(Budget, { cap: '{}' }, 'form')).toEqual(['cap']);
    expect(refused(Budget, { caps: '{"mots":1}' }, 'form')).toEqual(['caps.mots']);
    expect(refused(Budget, { caps: { most: 2 } })).toEqual({ caps: { most: 2 } });
  });

  it('sends nobody a whole body back', () => {
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, 1]));
    expect(refused(Budget, body)).toHaveLength(20);
  });
});
