import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs';
import type { Server } from 'node:http';

/**
 * Lets a server listen on a unix socket in a directory of any depth: a socket's own address has at most
 * 108 bytes, so the directory is named by its descriptor (proc(5), `/proc/self/fd`). Everybody who can
 * reach the directory may connect.
 *
 * @param directory absolute; made when it is missing
 * @returns closes the server and removes the socket; the server's connections are the caller's to end
 */
export async function listenInDirectory(
  server: Server,
  directory: string,
  name: string,
): Promise<() => void> {
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const held = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  const address = `/proc/self/fd/${held}/${name}`;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, () => {
        server.off('error', reject);
        resolve();
      });
    });
    chmodSync(address, 0o666);
  } catch (error) {
    closeSync(held);
    throw error;
  }
  return () => {
    // Closing unlinks the socket by its address, which needs the descriptor.
    server.close();
    closeSync(held);
  };
}
