import { describe, expect, test } from 'vitest';
import { addressClass } from './address-class.ts';

describe('addressClass', () => {
  test.each([
    ['93.184.216.34', 'public'],
    ['2606:2800:220:1::1', 'public'],
    ['127.0.0.1', 'local'],
    ['127.255.0.9', 'local'],
    ['10.1.2.3', 'local'],
    ['172.31.0.1', 'local'],
    ['172.32.0.1', 'public'],
    ['192.168.0.1', 'local'],
    ['100.64.0.1', 'local'],
    ['::1', 'local'],
    ['fd00::1', 'local'],
    ['169.254.169.254', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['0.0.0.0', 'forbidden'],
    ['::', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['::ffff:127.0.0.1', 'local'],
    ['::ffff:7f00:1', 'local'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['::ffff:5db8:d822', 'public'],
    ['64:ff9b::169.254.169.254', 'forbidden'],
    ['64:ff9b::a00:1', 'local'],
    ['::10.0.0.1', 'local'],
  ])('%s is %s', (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });

  test.each(['localhost', '127.1', '0x7f.0.0.1', '', '[::1]', '1.2.3.4:80', 'fe80::1%eth0'])(
    '%s is no address that a socket would be given',
    (text) => {
      expect([null, 'forbidden']).toContain(addressClass(text));
    },
  );
});
