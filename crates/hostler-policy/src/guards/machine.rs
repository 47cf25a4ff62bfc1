//! Devices, file systems, processes without end: what the whole machine suffers from.

use hostler_model::{EffectKind, Mode};

use super::zone::each;
use super::{Example, Guard};

pub(crate) const DEVICE: Guard = Guard {
    id: "device-write",
    summary: "writing to devices, formatting, shredding, stopping the machine",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: super::nothing,
    check: |case, _| each(case, EffectKind::Device, "leave devices and the machine to the user"),
    fires: &[
        Example::Bash("dd if=/dev/zero of=/dev/sda bs=1M"),
        Example::Bash("mkfs.ext4 /dev/sdb1"),
        Example::Bash("echo x > /dev/sda"),
        Example::Bash("mv src/lib.rs /dev/null"),
        Example::Bash("shred -u key.pem"),
        Example::Bash("wipefs -a /dev/sdb"),
        Example::Bash("sudo reboot"),
    ],
    silent: &[
        Example::Bash("dd if=/dev/zero of=disk.img bs=1M count=1"),
        Example::Bash("ls > /dev/null 2>&1"),
        Example::Bash("fdisk -l"),
        Example::Bash("systemctl status nginx"),
        Example::Bash("kill 1234"),
        Example::Bash("ls /dev"),
    ],
};

pub(crate) const FORK_BOMB: Guard = Guard {
    id: "fork-bomb",
    summary: "starting processes without end",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: super::nothing,
    check: |case, _| each(case, EffectKind::ForkBomb, "start a known number of processes"),
    fires: &[
        Example::Bash(":(){ :|:& };:"),
        Example::Bash("bomb() { bomb | bomb & }; bomb"),
        Example::Bash("perl -e 'fork while fork'"),
        Example::Bash("python3 -c 'import os\nwhile True: os.fork()'"),
    ],
    silent: &[
        Example::Bash("f() { ls | wc -l; }; f"),
        Example::Bash("python3 -c 'import os; os.fork()'"),
        Example::Bash("echo ':(){ :|:& };:'"),
    ],
};
