import { clockTime, DAYS_TOTAL, isoDate } from './calendar.ts';
import type { CsvSink } from './csv-sink.ts';
import type { Random } from './random.ts';

// Customers are numbered by the day they signed up, so "all customers who could order on day d" is a prefix of the
// numbers and no customer has to be remembered. Regions repeat in a pattern of five: three EU, then two US.

const CUSTOMERS_BEFORE = 480;
const CUSTOMERS_DURING = 1920;
const YEAR_BEFORE = 365;
const PATTERN = 5;
const EU_IN_PATTERN = 3;
const US_IN_PATTERN = PATTERN - EU_IN_PATTERN;

export const CUSTOMERS_HEADER =
  'customer_id,first_name,last_name,email,country,region,marketing_consent,signed_up_at,updated_at';

const FIRST_NAMES =
  'Ada Ben Cleo Dario Elif Finn Greta Hugo Ines Jonas Kaja Liam Mina Noel Olga Pavel Rosa Samir Tara Yann'.split(
    ' ',
  );
const LAST_NAMES =
  'Adler Brandt Costa Duval Evans Fischer Garcia Hansen Ivanov Jensen Keller Lopez Moreau Novak Olsen Petit Quinn Rossi Silva Weber'.split(
    ' ',
  );
const COUNTRIES = { EU: ['DE', 'FR', 'ES', 'AT', 'PT'], US: ['US'] } as const;

/** How many customers signed up before a day (0 = the first day of the sample), at scale 1. */
export function customersBefore(day: number): number {
  if (day <= 0) return Math.floor((CUSTOMERS_BEFORE * (day + YEAR_BEFORE)) / YEAR_BEFORE);
  return (
    CUSTOMERS_BEFORE +
    Math.floor((CUSTOMERS_DURING * day * (day + DAYS_TOTAL)) / (2 * DAYS_TOTAL * DAYS_TOTAL))
  );
}

function regionOfCustomer(index: number): 'EU' | 'US' {
  return index % PATTERN < EU_IN_PATTERN ? 'EU' : 'US';
}

/**
 * Draws the id of a customer of a region among the first `known` ones; three in five draws fall on the oldest
 * fifth, so that some customers come back often.
 */
export function drawCustomer(random: Random, known: number, region: 'EU' | 'US'): number {
  const groups = Math.floor(known / PATTERN);
  const group = random.below(random.permille(600) ? Math.max(1, Math.floor(groups / 5)) : groups);
  const offset = region === 'EU' ? random.below(EU_IN_PATTERN) : EU_IN_PATTERN + random.below(US_IN_PATTERN);
  return group * PATTERN + offset + 1;
}

/** Writes the change feed: one row at sign-up and, for about one customer in ten, a later row with the new consent. */
export async function writeCustomers(sink: CsvSink, random: Random, scale: number): Promise<void> {
  let index = 0;
  for (let day = -YEAR_BEFORE; day < DAYS_TOTAL; day++) {
    const end = customersBefore(day + 1) * scale;
    for (; index < end; index++) writeCustomer(sink, random, index, day);
    await sink.drain();
  }
}

function writeCustomer(sink: CsvSink, random: Random, index: number, day: number): void {
  const customerId = index + 1;
  const region = regionOfCustomer(index);
  const countries = COUNTRIES[region];
  const first = FIRST_NAMES[random.below(FIRST_NAMES.length)] as string;
  const last = LAST_NAMES[random.below(LAST_NAMES.length)] as string;
  const country = countries[random.below(countries.length)] as string;
  const email = random.permille(15) ? '' : `${first}.${last}.${customerId}@example.com`.toLowerCase();
  const consent = random.permille(650);
  const signedUpAt = `${isoDate(day)} ${clockTime(random.below(86_400))}`;
  const identity = `${customerId},${first},${last},${email},${country},${region}`;
  sink.line(`${identity},${consent},${signedUpAt},${signedUpAt}`);
  const changesOn = day + 1 + random.below(400);
  if (random.permille(100) && changesOn < DAYS_TOTAL) {
    sink.line(
      `${identity},${!consent},${signedUpAt},${isoDate(changesOn)} ${clockTime(random.below(86_400))}`,
    );
  }
}
