import { ONE_LINE, type TextRules } from '@app/common';
import { BooleanField, EmailField, IntegerField, NestedField, StringField } from '../http/fields.js';

/** As Django's user names; 150 characters. Dots alone are none: clients take `.` and `..` out of paths, whose part a name is. */
const USERNAME = /^\.*[\p{L}\p{N}@+_-][\p{L}\p{N}@.+_-]*$/u;
export const USERNAME_MESSAGE =
  'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.';
/** Names that look the same are the same (NFKC, as Django's), whichever keyboard they come from. */
export const USERNAME_RULES: TextRules = {
  maxLength: 150,
  form: 'NFKC',
  pattern: USERNAME,
  patternMessage: USERNAME_MESSAGE,
};
export const PERSON_NAME_RULES: TextRules = { maxLength: 150, allowBlank: true, ...ONE_LINE };
const MOST_DIGITS = 999_999_999_999_999;

export class RegistrationRequest {
  @StringField(USERNAME_RULES)
  username: string;

  @EmailField()
  email: string;

  @StringField({ trim: false, maxLength: 1024, description: 'At least 8 characters, not common, not like the name.' })
  password: string;

  @StringField({ optional: true, ...PERSON_NAME_RULES })
  first_name?: string;

  @StringField({ optional: true, ...PERSON_NAME_RULES })
  last_name?: string;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MOST_DIGITS,
    description: 'Digits, without the plus sign.',
  })
  phone?: number | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 100, description: 'Usable once.' })
  promo_code?: string | null;
}

export class RegistrationResponse {
  @IntegerField()
  id: number;

  @StringField()
  first_name: string;

  @StringField()
  last_name: string;

  @StringField()
  username: string;

  @EmailField()
  email: string;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  phone: number | null;
}

export class AvailabilityRequest {
  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 254 })
  username?: string | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 254 })
  email?: string | null;
}

export class Availability {
  @BooleanField()
  available: boolean;

  @StringField()
  message: string;
}

export class AvailabilityResponse {
  @NestedField(() => Availability, { optional: true })
  username?: Availability;

  @NestedField(() => Availability, { optional: true })
  email?: Availability;
}
