/** The migration that brings perspectives. */
export const perspectiveTables = ({
  text,
  integer,
  byKey,
}: Readonly<Record<'text' | 'integer' | 'byKey', string>>): string => `
  -- Ids sort by time. \`names\` are those among which the slug is unique: '' are those of the product, others the id of an owner.
  CREATE TABLE perspectives (
    id ${text} PRIMARY KEY, names ${text} NOT NULL, slug ${text} NOT NULL, owner_id ${text} NOT NULL, owner_name ${text} NOT NULL, visibility ${text} NOT NULL,
    version ${integer} NOT NULL, is_refreshed ${integer} NOT NULL, words ${text} NOT NULL, body ${text} NOT NULL, UNIQUE (names, slug));
  CREATE INDEX perspectives_by_owner ON perspectives (owner_id, id);
  CREATE INDEX perspectives_by_slug ON perspectives (slug) WHERE visibility = 'shared';
  CREATE INDEX perspectives_refreshed ON perspectives (id) WHERE is_refreshed = 1;
  -- With whom one is shared now; \`slug\` and \`key\` find it, so that nothing is read of those shared with others.
  CREATE TABLE perspective_shares (
    key ${text} NOT NULL, slug ${text} NOT NULL, id ${text} NOT NULL, PRIMARY KEY (key, slug, id))${byKey};
  CREATE INDEX perspective_shares_by_id ON perspective_shares (id);
  -- Each as it was, with who could see it.
  CREATE TABLE perspective_versions (
    id ${text} NOT NULL, version ${integer} NOT NULL, body ${text} NOT NULL, PRIMARY KEY (id, version))${byKey};
`;
