/**
 * A system call filter for bubblewrap, as the kernel reads it: what mounts, loads, traces the kernel or reaches into
 * other namespaces answers EPERM. Undefined for processors whose call numbers are not listed here.
 */
export function seccompFilter(arch: string): Buffer | undefined {
  const table = TABLES[arch];
  if (!table) return undefined;
  const refuse = (call: number, errno: number) => [
    instruction(JUMP_IF_EQUAL, call, 0, 1),
    instruction(RETURN, ERRNO | errno),
  ];
  return Buffer.concat([
    instruction(LOAD, ARCH_OFFSET),
    instruction(JUMP_IF_EQUAL, table.audit, 1, 0),
    instruction(RETURN, KILL_PROCESS),
    instruction(LOAD, NUMBER_OFFSET),
    // Calls of the x32 ABI have other numbers for the same things.
    instruction(JUMP_IF_AT_LEAST, X32_BIT, 0, 1),
    instruction(RETURN, ERRNO | ENOSYS),
    // Its flags lie in memory, where a filter can not look; without it the C library uses clone.
    ...refuse(CLONE3, ENOSYS),
    ...[...table.refused, ...REFUSED_EVERYWHERE].flatMap(call => refuse(call, EPERM)),
    instruction(JUMP_IF_EQUAL, table.ioctl, 0, 5),
    instruction(LOAD, SECOND_ARGUMENT_OFFSET),
    ...TERMINAL_INJECTIONS.flatMap(request => refuse(request, EPERM)),
    instruction(RETURN, ALLOW),
  ]);
}

function instruction(code: number, value: number, jumpTrue = 0, jumpFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumpTrue, 2);
  bytes.writeUInt8(jumpFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const KILL_PROCESS = 0x80000000;
const EPERM = 1;
const ENOSYS = 38;
const NUMBER_OFFSET = 0;
const ARCH_OFFSET = 4;
const SECOND_ARGUMENT_OFFSET = 24;
const X32_BIT = 0x40000000;
const CLONE3 = 435;
/** TIOCSTI and TIOCLINUX. */
const TERMINAL_INJECTIONS = [0x5412, 0x541c];
/** io_uring_*, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr: new enough to be alike everywhere. */
const REFUSED_EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442];

interface Table {
  readonly audit: number;
  readonly ioctl: number;
  /**
   * mount umount2 pivot_root swapon swapoff reboot init_module finit_module delete_module kexec_load kexec_file_load
   * quotactl acct settimeofday clock_adjtime add_key request_key keyctl unshare setns name_to_handle_at
   * open_by_handle_at bpf userfaultfd perf_event_open syslog vhangup lookup_dcookie, and on x86 iopl ioperm.
   */
  readonly refused: readonly number[];
}

const TABLES: Readonly<Record<string, Table>> = {
  x64: {
    audit: 0xc000003e,
    ioctl: 16,
    refused: [
      165, 166, 155, 167, 168, 169, 175, 313, 176, 246, 320, 179, 163, 164, 305, 248, 249, 250, 272, 308, 303,
      304, 321, 323, 298, 103, 153, 212, 172, 173,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    ioctl: 29,
    refused: [
      40, 39, 41, 224, 225, 142, 105, 273, 106, 104, 294, 60, 89, 170, 266, 217, 218, 219, 97, 268, 264, 265,
      280, 282, 241, 116, 58, 18,
    ],
  },
};
