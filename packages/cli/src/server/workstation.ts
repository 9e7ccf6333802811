import { hostname } from 'node:os';

/** What this machine is called where sessions say which one they work on: its host name, as far as a name may have it. */
export function thisWorkstation(): string {
  return (
    hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .replaceAll(/^[^A-Za-z0-9]+|\.\.+/g, '')
      .slice(0, 128) || 'unknown'
  );
}
