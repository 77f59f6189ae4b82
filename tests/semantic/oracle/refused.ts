/** The oracle refuses a query, too; `codes` are those by which the rules page allows to say it. */
export class Refused extends Error {
  readonly codes: readonly string[];

  constructor(codes: readonly string[]) {
    super(`refused: ${codes.join(' or ')}`);
    this.codes = codes;
  }
}
