/** The machines whose system call numbers we know, by Node's name for them. */
export type Machine = 'x64' | 'arm64';

export interface SyscallTable {
  /** AUDIT_ARCH_* of `linux/audit.h`. */
  readonly auditArch: number;
  /** Numbers from here on belong to a second calling convention (x32), which would slip past every rule. */
  readonly foreignFrom: number | null;
  readonly clone: number;
  readonly socket: number;
  readonly ioctl: number;
  /** System calls no program in a sandbox needs, refused with EPERM. */
  readonly denied: readonly number[];
}

/** clone3 takes its flags in memory a filter cannot read; refused as unknown, so that libraries use clone. The same number everywhere. */
export const CLONE3 = 435;

/** Numbers above 423 are the same on every machine (`asm-generic/unistd.h`). */
const deniedEverywhere = [
  425, // io_uring_setup
  426, // io_uring_enter
  427, // io_uring_register
  428, // open_tree
  429, // move_mount
  430, // fsopen
  431, // fsconfig
  432, // fsmount
  433, // fspick
  438, // pidfd_getfd
  440, // process_madvise
  442, // mount_setattr
  443, // quotactl_fd
  467, // open_tree_attr
];

export const syscallTables: Readonly<Record<Machine, SyscallTable>> = {
  x64: {
    auditArch: 0xc000003e,
    foreignFrom: 0x40000000,
    clone: 56,
    socket: 41,
    ioctl: 16,
    denied: [
      ...deniedEverywhere,
      101, // ptrace
      103, // syslog
      134, // uselib
      153, // vhangup
      154, // modify_ldt
      155, // pivot_root
      156, // _sysctl
      161, // chroot
      163, // acct
      164, // settimeofday
      165, // mount
      166, // umount2
      167, // swapon
      168, // swapoff
      169, // reboot
      170, // sethostname
      171, // setdomainname
      172, // iopl
      173, // ioperm
      174, // create_module
      175, // init_module
      176, // delete_module
      177, // get_kernel_syms
      178, // query_module
      179, // quotactl
      180, // nfsservctl
      212, // lookup_dcookie
      227, // clock_settime
      246, // kexec_load
      248, // add_key
      249, // request_key
      250, // keyctl
      256, // migrate_pages
      272, // unshare
      279, // move_pages
      298, // perf_event_open
      300, // fanotify_init
      304, // open_by_handle_at
      305, // clock_adjtime
      308, // setns
      310, // process_vm_readv
      311, // process_vm_writev
      312, // kcmp
      313, // finit_module
      320, // kexec_file_load
      321, // bpf
      323, // userfaultfd
    ],
  },
  arm64: {
    auditArch: 0xc00000b7,
    foreignFrom: null,
    clone: 220,
    socket: 198,
    ioctl: 29,
    denied: [
      ...deniedEverywhere,
      18, // lookup_dcookie
      39, // umount2
      40, // mount
      41, // pivot_root
      42, // nfsservctl
      51, // chroot
      58, // vhangup
      60, // quotactl
      89, // acct
      97, // unshare
      104, // kexec_load
      105, // init_module
      106, // delete_module
      112, // clock_settime
      116, // syslog
      117, // ptrace
      142, // reboot
      161, // sethostname
      162, // setdomainname
      170, // settimeofday
      217, // add_key
      218, // request_key
      219, // keyctl
      224, // swapon
      225, // swapoff
      238, // migrate_pages
      239, // move_pages
      241, // perf_event_open
      262, // fanotify_init
      265, // open_by_handle_at
      266, // clock_adjtime
      268, // setns
      270, // process_vm_readv
      271, // process_vm_writev
      272, // kcmp
      273, // finit_module
      280, // bpf
      282, // userfaultfd
      294, // kexec_file_load
    ],
  },
};
