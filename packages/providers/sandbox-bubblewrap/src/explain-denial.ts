/*
 * What a program sees when the sandbox refuses something, and what that means (FF-136). The rules
 * and the error each gives:
 *
 *   rule                                   error                         raised by
 *   system directories are read-only       EROFS                         writing outside of workspace, home, /tmp
 *   the user's files are not there         ENOENT                        opening any other host path
 *   files of the system's own users        EACCES                        reading what only root may
 *   the network is off                     ENOTFOUND, ENETUNREACH        resolving a name, connecting: told by `looksLikeNoNetwork`, for every provider
 *                                          ECONNREFUSED                  connecting to a loopback server of the host
 *   only local and internet sockets        EAFNOSUPPORT                  socket() of another family
 *                                          EPROTONOSUPPORT               socket() of another protocol than TCP, UDP and, with a network, ICMP
 *   calls no agent needs                   EPERM                         ptrace, mount, unshare, setns, bpf, keyctl, …
 *   new namespaces                         EPERM, ENOSPC                 clone, unshare
 *   clone3                                 ENOSYS                        libraries then use clone
 *   no new privileges                      EPERM, or no effect           sudo, su, ping
 *   memory                                 SIGKILL by the kernel         the sandbox's memory limit
 *   processes                              EAGAIN                        fork, clone
 *   file size                              SIGXFSZ, EFBIG                write
 */

interface Rule {
  readonly sign: RegExp;
  readonly hint: string;
  /** A rule there is only while the network is off. */
  readonly isOfNetwork?: true;
}

/** The most specific first: the first sign found decides. */
const RULES: readonly Rule[] = [
  {
    sign: /EAFNOSUPPORT|address family not supported/i,
    hint: 'only local and internet sockets can be made in this sandbox; the internet itself is there when the plan and the operator both allow it',
  },
  {
    sign: /ECONNREFUSED.*(127\.|::1|localhost)|(127\.\d|::1|localhost).*connection refused/i,
    hint: "localhost is the sandbox's own: only a server started inside it is there, and the network is off for all others",
    isOfNetwork: true,
  },
  {
    sign: /EROFS|read-only file system/i,
    hint: 'this path is read-only in the sandbox; write below /workspace, in the home directory or in /tmp',
  },
  {
    sign: /no new privileges|effective uid is not 0|must be setuid root|sudo: |a password is required/i,
    hint: 'programs in this sandbox cannot gain privileges; install what is needed below the home directory or ask the operator for an image that has it',
  },
  {
    sign: /EFBIG|file too large|file size limit exceeded|SIGXFSZ/i,
    hint: 'the file grew beyond sandbox.file_bytes; write less or ask for a higher limit',
  },
  {
    sign: /resource temporarily unavailable|cannot fork|can't fork/i,
    hint: 'the sandbox runs as many processes as sandbox.processes allows; run fewer at once or ask for a higher limit',
  },
  {
    sign: /\b(ptrace|mount|umount|unshare|setns|pivot_root|chroot|bpf|keyctl|add_key|perf_event_open|userfaultfd|io_uring_setup|clone)\b.*(operation not permitted|EPERM)/i,
    hint: 'the sandbox refuses this system call to every program; debuggers, mounts and nested containers do not work inside',
  },
];

/**
 * A sentence on which rule of the sandbox probably stands behind an error text, and what the
 * allowed way is; null when no rule is recognised. For hints beside an error, never a decision.
 *
 * @param hasNetwork true for a sandbox that was given the network
 */
export function explainDenial(text: string, hasNetwork = false): string | null {
  const rules = RULES.filter((rule) => !hasNetwork || rule.isOfNetwork !== true);
  return rules.find((rule) => rule.sign.test(text))?.hint ?? null;
}
