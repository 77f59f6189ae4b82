/** The formats in which a result is answered, and the media type of each. */
export const RESULT_MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const;

export type ResultFormat = keyof typeof RESULT_MEDIA_TYPES;

/** A page of JSON is not a file. */
export type FileFormat = Exclude<ResultFormat, 'json'>;

export const RESULT_FORMATS = Object.keys(RESULT_MEDIA_TYPES) as readonly ResultFormat[];
