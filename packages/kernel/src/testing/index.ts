export { eachDatabase, type OpenDatabase } from './each-database.ts';
