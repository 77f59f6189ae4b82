/*
 * Waiting work, by tenant and by principal, taken in turn: one who submits a thousand statements delays another by one.
 *
 *   tenants (in turn) ─▶ persons of the tenant (in turn) ─▶ their statements, in the order they came
 */

/** A waiting thing and whose it is. */
export interface Waiting {
  readonly id: string;
  readonly tenant: string;
  readonly principalId: string;
}

/** Maps keep their order of insertion: a caller that was served is put at the end. */
export class FairQueue<Item extends Waiting> {
  readonly #tenants = new Map<string, Map<string, Item[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: Item): void {
    const persons = this.#tenants.get(item.tenant) ?? new Map<string, Item[]>();
    this.#tenants.set(item.tenant, persons);
    const items = persons.get(item.principalId) ?? [];
    persons.set(item.principalId, items);
    items.push(item);
    this.#size++;
  }

  /** The first of the next person whose first is accepted. Others keep their turn. */
  shift(accepts: (item: Item) => boolean = () => true): Item | undefined {
    for (const [tenant, persons] of this.#tenants)
      for (const [person, items] of persons) {
        const [item] = items;
        if (item === undefined || !accepts(item)) continue;
        items.shift();
        this.#size--;
        persons.delete(person);
        if (items.length > 0) persons.set(person, items);
        this.#tenants.delete(tenant);
        if (persons.size > 0) this.#tenants.set(tenant, persons);
        return item;
      }
    return undefined;
  }

  /** How many of one person wait. */
  countOf({ tenant, principalId }: Omit<Waiting, 'id'>): number {
    return this.#tenants.get(tenant)?.get(principalId)?.length ?? 0;
  }

  /** Whether any caller other than this one waits. */
  hasOther({ tenant, principalId }: Omit<Waiting, 'id'>): boolean {
    for (const [other, persons] of this.#tenants)
      for (const person of persons.keys()) if (other !== tenant || person !== principalId) return true;
    return false;
  }

  /** The first of each person, in turn. */
  *firsts(): Generator<Item> {
    for (const persons of this.#tenants.values())
      for (const [first] of persons.values()) if (first !== undefined) yield first;
  }

  /** Out of turn; undefined when it does not wait. */
  remove(id: string): Item | undefined {
    for (const [tenant, persons] of this.#tenants)
      for (const [person, items] of persons) {
        const at = items.findIndex((item) => item.id === id);
        if (at === -1) continue;
        const [item] = items.splice(at, 1);
        this.#size--;
        if (items.length === 0) persons.delete(person);
        if (persons.size === 0) this.#tenants.delete(tenant);
        return item;
      }
    return undefined;
  }
}
