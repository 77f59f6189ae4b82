/** A file of the project as read: path relative to the project folder with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}
