/** What the statements of a keeper reach outside its database. */
export interface FileRules {
  /** The real path of the project. */
  readonly folder: string;
  /** What the connection names itself: folders by their real paths, and addresses. */
  readonly opened: readonly string[];
}
