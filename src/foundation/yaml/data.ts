/** Plain data as a YAML or JSON file holds it. */
export type Data = string | number | boolean | null | readonly Data[] | DataRecord;

export interface DataRecord {
  readonly [key: string]: Data;
}
