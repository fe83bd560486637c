#!/usr/bin/env bash
# Makes a small copy of a system's /sys, /proc, /run and /dev in the directory DIR: a SATA disk behind a write blocker with an
# encrypted partition that is open and mounted, a USB stick whose partition table the kernel does not read, an NVMe disk, and two
# devices that hold nothing. The disks are sparse files.
set -euo pipefail
mkdir -p "$1"
cd "$1"

# Writes WORDS into the file FILE below the device.
put() { mkdir -p "$(dirname "$here/$1")" && printf '%s\n' "$2" >"$here/$1"; }
# A device of this number at this place: PLACE NUMBER BYTES.
device() {
  here=sys/devices/$1
  local name=${1##*/}
  mkdir -p "$here" sys/block sys/class/block
  ln -s "../../devices/$1" "sys/class/block/$name"
  [ -n "${part:-}" ] || ln -s "../devices/$1" "sys/block/$name"
  put dev "$2"
  put size $(($3 / 512))
  put ro 0
  mkdir -p "$here/holders"
}
# A partition of the last disk: NAME NUMBER OF-THE-DISK START BYTES.
partition() {
  local part=1
  device "$place/$1" "$2" "$5"
  put partition "$3"
  put start $(($4 / 512))
}
# A disk: PLACE NUMBER BYTES.
disk() {
  place=$1
  device "$@"
  put queue/logical_block_size 512
  put queue/physical_block_size 512
  put queue/rotational 0
  put removable 0
}
# An entry of an MBR: TYPE START SECTORS, in hexadecimal, little endian.
entry() { printf "\\x00\\x00\\x00\\x00\\x$1\\x00\\x00\\x00$2$3"; }
# The record of udev for a device: NUMBER WORDS.
record() { mkdir -p run/udev/data && printf '%s\n' "${@:2}" >"run/udev/data/b$1"; }
MIB=1048576

# The SATA disk: 64 MiB, of which 16 are for EFI and 40 encrypted.
disk pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda 8:0 $((64 * MIB))
ln -s ../.. "$here/device"
put device/vendor ATA
put device/model 'Samsung SSD 860'
put device/rev 2B6Q
put device/wwid naa.5002538e40a1b2c3
put device/hwmon/hwmon3/temp1_input 38000
put queue/physical_block_size 4096
put ro 1
printf '\x00\x80\x00\x0cS3Z9NB0K1234' >"$here/device/vpd_pg80"
partition sda1 8:1 1 $MIB $((16 * MIB))
put ro 1
put uevent 'PARTNAME=EFI system partition'
record 8:1 E:ID_PART_ENTRY_TYPE=c12a7328-f81f-11d2-ba4b-00a0c93ec93b E:ID_FS_USAGE=filesystem E:ID_FS_TYPE=vfat E:ID_FS_LABEL_ENC=ESP
partition sda2 8:2 2 $((17 * MIB)) $((40 * MIB))
put ro 1
mkdir "$here/holders/dm-0"
record 8:2 E:ID_PART_ENTRY_TYPE=ca7d7ccb-63ed-4c53-861c-1742536059cc 'E:ID_PART_ENTRY_NAME=Ada\x27s\x20home'
mkdir -p dev
truncate -s 64M dev/sda
printf 'LUKS\xba\xbe\x00\x02' | dd of=dev/sda bs=1M seek=17 conv=notrunc status=none

# Its opened form: a mapped device, which is a block device of its own.
disk virtual/block/dm-0 253:0 $((39 * MIB))
put dm/name home
put dm/uuid CRYPT-LUKS2-00112233445566778899aabbccddeeff-home
truncate -s 39M dev/dm-0
mkdir -p proc/self
printf '%s\n' \
  '22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw' \
  '30 22 253:0 / /mnt/case\0407 ro,relatime shared:9 - xfs /dev/mapper/home rw' >proc/self/mountinfo
printf 'Filename\tType\tSize\tUsed\tPriority\n/dev/nvme0n1p2\tpartition\t1024\t0\t-2\n' >proc/swaps

# The USB stick: 8 MiB with an MBR whose partition the kernel does not list.
disk pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host4/target4:0:0/4:0:0:0/block/sdb 8:16 $((8 * MIB))
ln -s ../.. "$here/device"
put device/vendor 'SanDisk'
put device/model 'Ultra Fit'
put removable 1
here=sys/devices/pci0000:00/0000:00:14.0/usb2/2-1
put idVendor 0781
put serial 4C530001220511115590
truncate -s 8M dev/sdb
{
  head -c 446 /dev/zero
  entry 83 '\x00\x08\x00\x00' '\x00\x30\x00\x00'
  head -c 48 /dev/zero
  printf '\x55\xaa'
} | dd of=dev/sdb conv=notrunc status=none
printf 'hsqs' | dd of=dev/sdb bs=1M seek=1 conv=notrunc status=none

# The NVMe disk of the system itself.
disk pci0000:00/0000:00:1d.0/nvme/nvme0/nvme0n1 259:0 $((32 * MIB))
ln -s .. "$here/device"
put device/model 'WD_BLACK SN770'
put device/serial 22345A801234
put device/firmware_rev 731030WD
put device/hwmon2/temp1_input 41850
put wwid eui.e8238fa6bf530001001b448b4a1b2c3d
put queue/logical_block_size 4096
put queue/physical_block_size 4096
partition nvme0n1p1 259:1 1 $MIB $((20 * MIB))
partition nvme0n1p2 259:2 2 $((21 * MIB)) $((8 * MIB))
truncate -s 32M dev/nvme0n1

# Devices that are listed only with all devices.
disk virtual/block/loop0 7:0 0
disk virtual/block/zram0 252:0 $MIB
truncate -s 1M dev/zram0
: >dev/loop0
