export type * from './database/database.ts';
