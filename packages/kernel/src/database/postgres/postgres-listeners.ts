/** How a listening connection shows itself to others: by its schema too, since a server tells every schema of a database of every other's. */
export const SHOWN = "left('palisade ' || current_schema(), 63)";

/** How many connections wait for commits of this schema, of any process. */
export const LISTENERS = `SELECT COUNT(*) AS n FROM pg_stat_activity
WHERE datname = current_database() AND application_name = ${SHOWN}`;
